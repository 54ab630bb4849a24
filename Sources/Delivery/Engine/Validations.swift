internal import FCM
internal import Telemetry

/// The messages that FCM is to check, until it has answered.
struct Validations: Sendable {
  typealias Completion = @Sendable (SendOutcome) -> Void

  struct Pending: Sendable {
    let body: [UInt8]
    let trace: TraceContext?
    let completion: Completion
  }

  private(set) var pending: [ValidationID: Pending] = [:]
  private var last: UInt64 = 0

  mutating func add(_ new: Pending) -> ValidationID {
    last += 1
    let id = ValidationID(number: last)
    pending[id] = new
    return id
  }

  /// Its completion, for the first caller alone.
  mutating func take(_ id: ValidationID) -> Completion? { pending.removeValue(forKey: id)?.completion }

  /// The completions of all that are left.
  mutating func close() -> [Completion] {
    defer { pending = [:] }
    return pending.values.map(\.completion)
  }
}

extension SendOutcome {
  /// The app is not served, because of a reload or a stop.
  static let notServed = SendOutcome.failed(
    SendError(
      code: .unavailable, message: "the app is not served at the moment", disposition: .retry, scope: .unsent)
  )
}
