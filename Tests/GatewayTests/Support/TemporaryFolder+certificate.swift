import Foundation
import TestSupport
import Testing

extension TemporaryFolder {
  /// Makes a certificate for 127.0.0.1 that is its own authority, and its key: `NAME.crt` and `NAME.key`.
  func makeCertificate(_ name: String = "tls") throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
      "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(path)/\(name).key",
      "-out", "\(path)/\(name).crt",
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
