internal import HTTPServer

/// Why the gateway does not start or reload.
package struct GatewayError: Error, CustomStringConvertible {
  /// The part of the gateway that failed.
  package struct Code: Sendable, Equatable {
    private enum Value { case configuration, parts, queue, listening, development }
    private let value: Value

    /// The configuration cannot be served, or not safely.
    package static let configuration = Code(value: .configuration)
    /// Catalogs, string files or credentials cannot be loaded.
    package static let parts = Code(value: .parts)
    /// The queue cannot be opened.
    package static let queue = Code(value: .queue)
    /// The server cannot listen.
    package static let listening = Code(value: .listening)
    /// The development gateway cannot set up its temporary files.
    package static let development = Code(value: .development)
  }

  package let code: Code
  /// All problems, one per line.
  package let description: String
  /// Whether it may pass without anybody changing a file: the address is in use, a certificate
  /// is mounted late.
  package let mayPass: Bool
  /// The apps whose catalog or credentials cannot be loaded; empty if the cause is elsewhere.
  let apps: [String]
  /// The error that led to this one.
  package let underlying: (any Error)?

  init(
    _ code: Code, _ description: String, apps: [String] = [], mayPass: Bool = false,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.mayPass = mayPass
    self.apps = apps
    self.description = description
    self.underlying = underlying
  }

  /// Why the server does not start. The address has nothing to do with TLS files.
  init(_ error: HTTPServerError) {
    if error.code == .unusableTLS {
      // The files were examined before, if they were there.
      self.init(.configuration, "server.\(error)", mayPass: true, underlying: error)
    } else {
      self.init(.listening, error.explanation(option: "--listen"), mayPass: true, underlying: error)
    }
  }
}
