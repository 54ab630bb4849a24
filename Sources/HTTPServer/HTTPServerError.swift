internal import Glibc

/// Why a server could not start.
package struct HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    case addressInUse, addressUnavailable, permissionDenied, systemCallFailed, alreadyStarted, unusableTLS
  }

  package let code: Code
  package let address: HTTPListenAddress
  package let reason: String

  package var description: String {
    code == .unusableTLS ? reason : "cannot listen on \(address): \(reason)"
  }

  /// The description, and which option of the command line helps.
  package func explanation(option: String) -> String {
    switch code {
    case .addressInUse: "\(description); stop what listens there, or choose another address with \(option)"
    case .addressUnavailable, .permissionDenied: "\(description); choose another address with \(option)"
    default: description
    }
  }

  init(_ code: Code, address: HTTPListenAddress, reason: String) {
    self.code = code
    self.address = address
    self.reason = reason
  }

  /// From a system call's `errno`.
  init(errno number: Int32, call: StaticString, address: HTTPListenAddress) {
    switch number {
    case EADDRINUSE: code = .addressInUse
    case EADDRNOTAVAIL: code = .addressUnavailable
    case EACCES, EPERM: code = .permissionDenied
    default: code = .systemCallFailed
    }
    self.address = address
    reason = "\(call): \(String(cString: strerror(number)))"
  }
}
