import COpenSSL
import Foundation
import Glibc
import HTTPServer

/// A certificate authority and the certificates it has signed, in a temporary folder that it removes.
final class TestAuthority: Sendable {
  struct Failure: Error { let step: [String] }

  let folder: URL

  /// Makes the authority and a certificate for 127.0.0.1.
  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "dragoman-tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
      "-subj",
      "/CN=test authority", "-keyout", path("ca.key"), "-out", path("ca.pem"))
    try issue("server", subject: "/CN=server")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var server: TLSConfiguration {
    TLSConfiguration(certificateFile: path("server.pem"), keyFile: path("server.key"))
  }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Makes `NAME.key` and `NAME.pem`.
  func issue(
    _ name: String, subject: String, key: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    days: Int = 30
  ) throws {
    try Data("subjectAltName=IP:127.0.0.1,DNS:localhost".utf8).write(to: folder.appending(path: "names"))
    try openssl(
      ["req", "-newkey"] + key + [
        "-nodes", "-utf8", "-subj", subject, "-keyout", path("\(name).key"), "-out", path("\(name).csr"),
      ])
    try openssl(
      "x509", "-req", "-in", path("\(name).csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"),
      "-CAcreateserial", "-days", "\(days)", "-extfile", path("names"), "-out", path("\(name).pem"))
  }

  func openssl(_ arguments: String...) throws { try openssl(arguments) }

  func openssl(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(step: arguments) }
  }
}

/// The TLS options of a client.
struct TLSClientOptions {
  var authority: String?
  var version: (min: Int32, max: Int32) = (TLS1_2_VERSION, TLS1_3_VERSION)
  /// Of TLS 1.2, in OpenSSL's notation.
  var ciphers = "ALL:@SECLEVEL=0"
  var protocols: [String] = []
  var name: String?
  var certificate: (certificate: String, key: String)?
  /// A session to resume.
  var session: TLSClientSession?
}

/// A client's side of TLS over a socket that blocks for ten seconds at most.
final class TLSClientSession {
  private let context: OpaquePointer
  let ssl: OpaquePointer

  /// Performs the handshake; throws OpenSSL's reason when the server or the client refuses.
  init(over descriptor: Int32, _ options: TLSClientOptions) throws {
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    ERR_clear_error()
    guard let context = SSL_CTX_new(TLS_client_method()) else {
      throw RawClient.Failure(description: "context")
    }
    self.context = context
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(options.version.min), nil)
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(options.version.max), nil)
    SSL_CTX_set_cipher_list(context, options.ciphers)
    if let authority = options.authority {
      SSL_CTX_load_verify_file(context, authority)
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    }
    if let (certificate, key) = options.certificate {
      SSL_CTX_use_certificate_file(context, certificate, SSL_FILETYPE_PEM)
      SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM)
    }
    guard let ssl = SSL_new(context) else { throw RawClient.Failure(description: "session") }
    self.ssl = ssl
    let protocols = options.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    if !protocols.isEmpty { SSL_set_alpn_protos(ssl, protocols, UInt32(protocols.count)) }
    if let name = options.name {
      _ = name.withCString {
        SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, 0, UnsafeMutableRawPointer(mutating: $0))
      }
    }
    if let session = options.session?.resumable {
      SSL_set_session(ssl, session)
      SSL_SESSION_free(session)
    }
    SSL_set_fd(ssl, descriptor)
    guard SSL_connect(ssl) == 1 else { throw Self.failure() }
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  var version: String { String(cString: SSL_get_version(ssl)) }
  var cipher: String { String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl))) }
  /// With a reference for the caller; in TLS 1.3 only after something was received.
  private var resumable: OpaquePointer? { SSL_get1_session(ssl) }
  var isResumed: Bool { SSL_session_reused(ssl) == 1 }
  var serverName: String {
    guard let certificate = SSL_get1_peer_certificate(ssl) else { return "" }
    defer { X509_free(certificate) }
    var text = [CChar](repeating: 0, count: 256)
    let count = dragoman_certificate_subject(certificate, &text, 256)
    return String(decoding: text.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
  var chosenProtocol: String {
    var start: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &start, &count)
    return String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }

  /// Sends all of `bytes`; a connection that the server has closed is no error here.
  func send(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    SSL_write(ssl, bytes, Int32(bytes.count))
  }

  /// Some bytes, or none after the server's close_notify; throws when the connection just ends.
  func receive() throws -> [UInt8] {
    var space = [UInt8](repeating: 0, count: 65_536)
    ERR_clear_error()
    let count = SSL_read(ssl, &space, Int32(space.count))
    guard count <= 0 else { return Array(space[..<Int(count)]) }
    guard SSL_get_error(ssl, count) == SSL_ERROR_ZERO_RETURN else { throw Self.failure() }
    return []
  }

  /// Sends close_notify.
  func end() { SSL_shutdown(ssl) }

  static func failure() -> RawClient.Failure {
    let reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
    return RawClient.Failure(description: reason ?? "tls: errno \(errno)")
  }
}

extension RawClient {
  /// A client that speaks TLS.
  convenience init(
    tls address: HTTPListenAddress, receiveBufferBytes: Int32? = nil, _ options: TLSClientOptions = .init()
  ) throws {
    try self.init(address, receiveBufferBytes: receiveBufferBytes)
    tls = try TLSClientSession(over: descriptor, options)
  }
}
