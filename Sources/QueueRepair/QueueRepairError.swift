/// Why a queue could not be checked or salvaged at all.
package struct QueueRepairError: Error, Sendable, CustomStringConvertible {
  package struct Code: Sendable, Equatable {
    private enum Kind { case refused, failed }
    private let kind: Kind

    /// It is no queue, is in use, or cannot be opened.
    package static let refused = Code(kind: .refused)
    /// Reading or writing it failed later.
    package static let failed = Code(kind: .failed)
  }

  package let code: Code
  package let description: String
  package let underlying: (any Error)?

  init(_ code: Code, _ description: String, underlying: (any Error)? = nil) {
    self.code = code
    self.description = description
    self.underlying = underlying
  }
}
