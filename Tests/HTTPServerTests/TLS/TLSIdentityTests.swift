import COpenSSL
import Foundation
import Telemetry
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1))) struct TLSIdentityTests {
  private let authority: TestAuthority

  init() throws { authority = try TestAuthority() }

  private func load(_ change: (inout TLSConfiguration) throws -> Void) throws -> TLSIdentity {
    var configuration = authority.server
    try change(&configuration)
    return try TLSIdentity(loading: configuration)
  }

  private func reason(_ change: (inout TLSConfiguration) throws -> Void) -> String {
    do {
      _ = try load(change)
      return "loaded"
    } catch {
      return "\(error)".replacing(authority.folder.path + "/", with: "")
    }
  }

  private func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: authority.folder.appending(path: name))
    return authority.path(name)
  }

  /// Sets a certificate's expiry to yesterday, which the command cannot do, and signs it with its own key.
  private func expire(_ name: String) throws {
    let bio = try #require(BIO_new_file(authority.path("\(name).pem"), "r+"))
    defer { BIO_free(bio) }
    let certificate = try #require(dragoman_read_certificate(bio))
    defer { X509_free(certificate) }
    X509_gmtime_adj(X509_getm_notAfter(certificate), -86_400)
    let pem = try Data(contentsOf: authority.folder.appending(path: "\(name).key"))
    let key = try #require(pem.withUnsafeBytes { dragoman_read_private_key($0.baseAddress, Int32($0.count)) })
    defer { EVP_PKEY_free(key) }
    #expect(X509_sign(certificate, key, EVP_sha256()) > 0)
    let output = try #require(BIO_new_file(authority.path("\(name).pem"), "w"))
    defer { BIO_free(output) }
    #expect(PEM_write_bio_X509(output, certificate) == 1)
  }

  @Test func reportsTheFileAndWhatIsWrong() throws {
    try authority.issue("other", subject: "/CN=other")
    try authority.issue("weak", subject: "/CN=weak", key: ["rsa:1024"])
    try authority.openssl(
      "ec", "-in", authority.path("server.key"), "-aes256", "-passout", "pass:secret", "-out",
      authority.path("locked.key"))
    #expect(
      reason { $0.certificateFile = authority.path("none.pem") }
        == "tls.certificate: none.pem: No such file or directory")
    #expect(reason { $0.certificateFile = authority.folder.path }.hasSuffix("Is a directory"))
    #expect(
      reason { $0.certificateFile = try write("", to: "empty") } == "tls.certificate: empty: it is empty")
    #expect(
      reason { $0.certificateFile = authority.path("server.key") }
        == "tls.certificate: server.key: it holds no certificate in PEM form")
    let whole = try String(contentsOfFile: authority.path("server.pem"), encoding: .utf8)
    #expect(
      reason { $0.certificateFile = try write(whole + whole.replacing("M", with: "N"), to: "cut") }
        == "tls.certificate: cut: certificate 2 is damaged")
    #expect(
      reason { $0.keyFile = authority.path("server.pem") }
        == "tls.key: server.pem: it holds no private key in PEM form, or an encrypted one")
    #expect(
      reason { $0.keyFile = authority.path("locked.key") }
        == "tls.key: locked.key: it holds no private key in PEM form, or an encrypted one")
    #expect(
      reason { $0.keyFile = authority.path("other.key") }
        == "tls.key: other.key: the key does not belong to the certificate in server.pem")
    #expect(
      reason {
        $0.certificateFile = authority.path("weak.pem")
        $0.keyFile = authority.path("weak.key")
      } == "tls.certificate: weak.pem: the certificate cannot be used: ee key too small")
    #expect(
      reason { $0.clientCAFile = try write("no", to: "ca") }
        == "tls.client_ca: ca: it holds no certificate in PEM form")
  }

  @Test func warnsOfFilesThatWorkButShouldChange() throws {
    try authority.issue("short", subject: "/CN=short", days: 3)
    try authority.issue("old", subject: "/CN=old")
    try expire("old")
    func codes(_ name: String) throws -> [TLSWarning.Code] {
      try load {
        $0.certificateFile = authority.path("\(name).pem")
        $0.keyFile = authority.path("\(name).key")
      }.warnings.map(\.code)
    }
    #expect(try codes("server") == [])
    #expect(try codes("short") == [.expiresSoon])
    #expect(try codes("old") == [.expired])
    chmod(authority.path("server.key"), 0o644)
    #expect(try codes("server") == [.keyReadableByOthers])
    let other = try TestAuthority()
    let chain = try ["server.pem", "other"].map { name in
      name == "other"
        ? try String(contentsOfFile: other.path("ca.pem"), encoding: .utf8)
        : try String(contentsOfFile: authority.path(name), encoding: .utf8)
    }
    let path = try write(chain.joined(), to: "chain.pem")
    #expect(
      try load { $0.certificateFile = path }.warnings.map(\.code) == [.chainOutOfOrder, .keyReadableByOthers])
  }

  @Test func examinesTheAuthoritiesOfAClient() throws {
    #expect(TrustedAuthorities.problem(of: authority.path("ca.pem")) == nil)
    #expect(TrustedAuthorities.problem(of: authority.path("none")) == "No such file or directory")
    #expect(
      TrustedAuthorities.problem(of: authority.path("ca.key")) == "it holds no certificate in PEM form")
    let whole = try String(contentsOfFile: authority.path("ca.pem"), encoding: .utf8)
    #expect(
      TrustedAuthorities.problem(of: try write(whole + whole.replacing("M", with: "N"), to: "half.pem"))
        == "certificate 2 is damaged")
  }

  @Test func doesNotStartWithoutItsFiles() {
    var configuration = HTTPServerConfiguration.testing
    configuration.tls = TLSConfiguration(certificateFile: "/none.pem", keyFile: "/none.key")
    let server = HTTPServer(configuration: configuration, handler: TestHandler.echo, log: .silent)
    do throws(HTTPServerError) {
      _ = try server.start()
      Issue.record("it started")
    } catch {
      #expect(error.code == .unusableTLS)
      #expect(error.description == "tls.certificate: /none.pem: No such file or directory")
    }
  }

  @Test func reloadKeepsConnectionsAndAFailureKeepsTheOldFiles() async throws {
    try authority.issue("next", subject: "/CN=next")
    try await withServer {
      $0.tls = authority.server
    } _: { address, server in
      let old = try RawClient(tls: address)
      #expect(old.tls?.serverName == "CN=server")
      #expect(throws: TLSConfigurationError.self) {
        try server.reloadTLS(
          TLSConfiguration(certificateFile: authority.path("next.pem"), keyFile: authority.path("server.key"))
        )
      }
      #expect(try RawClient(tls: address).tls?.serverName == "CN=server")
      try server.reloadTLS(
        TLSConfiguration(certificateFile: authority.path("next.pem"), keyFile: authority.path("next.key")))
      #expect(try RawClient(tls: address).tls?.serverName == "CN=next")
      old.send(get("/1"))
      #expect(try old.answer().body == "GET /1 ")
    }
  }

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func ticketsResumeUntilTheFilesAreReloaded(version: Int32) async throws {
    try authority.issue("client", subject: "/CN=orders")
    let handler = TestHandler { request, responder in
      responder.respond(HTTPResponse(status: 200, body: Array((request.head.clientSubject ?? "none").utf8)))
    }
    var files = authority.server
    files.clientCAFile = authority.path("ca.pem")
    try await withServer(handler) {
      $0.tls = files
    } _: { address, server in
      var options = TLSClientOptions(version: (version, version))
      options.certificate = (authority.path("client.pem"), authority.path("client.key"))
      func isResumed() throws -> Bool? {
        let client = try RawClient(tls: address, options)
        client.send(get("/"))
        // The client's identity is still known.
        #expect(try client.answer().body == "CN=orders")
        options.session = client.tls
        return client.tls?.isResumed
      }
      #expect(try isResumed() == false)
      #expect(try isResumed() == true)
      try server.reloadTLS(files)
      #expect(try isResumed() == false)
      #expect(try isResumed() == true)
    }
  }

  @Test func ticketKeysAreRenewedInTime() throws {
    let identities = TLSIdentities(try load { _ in })
    let hour: UInt64 = 3600 * 1_000_000_000
    let first = identities.current(now: 5)
    #expect(identities.current(now: 5 * hour) === first)
    let second = identities.current(now: 7 * hour)
    #expect(second !== first)
    #expect(second.notAfter == first.notAfter)
    #expect(identities.current(now: 8 * hour) === second)
  }
}
