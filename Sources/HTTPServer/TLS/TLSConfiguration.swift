/// The PEM files of a server that speaks TLS.
package struct TLSConfiguration: Sendable, Equatable {
  /// The server's certificate, then the intermediate ones that lead to its root.
  package var certificateFile: String
  /// The certificate's private key, not encrypted.
  package var keyFile: String
  /// Authorities of clients' certificates; when set, every client needs a certificate.
  package var clientCAFile: String?

  package init(certificateFile: String, keyFile: String, clientCAFile: String? = nil) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
    self.clientCAFile = clientCAFile
  }
}

/// Which of the files a finding is about.
package enum TLSFileKind: String, Sendable {
  case certificate
  case key
  case clientCA = "client_ca"
}

/// Why TLS files cannot be used; holds nothing of a key.
package struct TLSConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  package let kind: TLSFileKind
  package let file: String
  package let reason: String

  package var description: String { "tls.\(kind.rawValue): \(file): \(reason)" }
}

/// A warning about TLS files that work.
package struct TLSWarning: Sendable, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    case expired, expiresSoon, notYetValid, keyReadableByOthers, chainOutOfOrder
  }

  package let code: Code
  package let kind: TLSFileKind
  package let file: String
  package let reason: String

  package var description: String { "tls.\(kind.rawValue): \(file): \(reason)" }
}
