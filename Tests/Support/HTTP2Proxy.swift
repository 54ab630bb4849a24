package import Foundation

/// Debian's nghttpx in front of a stand-in: HTTP/2 over TLS, with a certificate authority made for one test.
///
/// Guard: one test uses it, one step after the other.
package final class HTTP2Proxy: @unchecked Sendable {
  struct Failure: Error { let step: String }

  private static let executable = "/usr/sbin/nghttpx"
  private static let openssl = "/usr/bin/openssl"
  package static var isInstalled: Bool {
    [executable, openssl].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
  }

  package let port: UInt16
  package let folder: URL
  private let process = Process()

  package var caFile: String { folder.appending(path: "ca.pem").path }
  package var url: String { "https://127.0.0.1:\(port)" }

  /// Starts a proxy on a thread that may block: Swift's tasks have only as many threads as the machine
  /// has cores.
  package static func start(
    before backend: UInt16, name: String, options: [String]
  ) async throws -> HTTP2Proxy {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result { try HTTP2Proxy(before: backend, name: name, options: options) })
      }
    }
  }

  /// `name` is the subject alternative name of its certificate.
  private init(before backend: UInt16, name: String, options: [String]) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "nghttpx-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    port = try StandIn.deadPort()
    try Self.makeCertificates(in: folder, name: name)
    process.executableURL = URL(filePath: Self.executable)
    process.arguments =
      [
        "--conf=/dev/null", "--frontend=127.0.0.1,\(port)", "--backend=127.0.0.1,\(backend)",
        "--single-process",
        "--backend-connections-per-host=200", "--errorlog-file=\(folder.path)/error.log",
        "--log-level=NOTICE",
      ] + options + ["\(folder.path)/server.key", "\(folder.path)/server.pem"]
    process.standardError = FileHandle.nullDevice
    try process.run()
    try waitUntilItListens()
  }

  package func stop() {
    // A thread of Dispatch blocks SIGTERM, and its child processes inherit that.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func makeCertificates(in folder: URL, name: String) throws {
    let path = folder.path
    try Data("subjectAltName=\(name)".utf8).write(to: folder.appending(path: "names"))
    try openssl([
      "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=test authority", "-keyout",
      "\(path)/ca.key", "-out", "\(path)/ca.pem",
    ])
    try openssl([
      "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=stand-in", "-keyout", "\(path)/server.key",
      "-out",
      "\(path)/server.csr",
    ])
    try openssl([
      "x509", "-req", "-in", "\(path)/server.csr", "-CA", "\(path)/ca.pem", "-CAkey", "\(path)/ca.key",
      "-CAcreateserial", "-days", "1", "-extfile", "\(path)/names", "-out", "\(path)/server.pem",
    ])
  }

  private static func openssl(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: openssl)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(step: arguments.first ?? "") }
  }

  /// nghttpx does not report when it is ready, so its port is polled, each time after a tenth of a second in
  /// `poll`.
  private func waitUntilItListens() throws {
    for _ in 0..<100 where process.isRunning {
      if StandIn.isListening(port) { return }
      var nothing = pollfd(fd: -1, events: 0, revents: 0)
      poll(&nothing, 1, 100)
    }
    throw Failure(step: "nghttpx does not listen")
  }
}
