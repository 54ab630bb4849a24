import Foundation
import HTTPClient
import Telemetry
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// The gateway with its own TLS and a freshly made certificate.
@Suite(.blocking) struct TLSTests {
  private func status(of url: String, trusting caFile: String) async -> Int? {
    let transport = HTTPTransport(log: .silent)
    let destination = Destination(url: url, method: .get, caFile: caFile)
    let result = await withCheckedContinuation { continuation in
      transport.send(
        TransportRequest(destination: destination, headers: HeaderList([]), body: []) {
          continuation.resume(returning: $0)
        })
    }
    await transport.shutDown()
    return (try? result.get())?.status
  }

  @Test func servesHTTPSAndReloadsItsCertificate() async throws {
    let folder = try TemporaryFolder()
    try folder.makeCertificate()
    let certificate = "\(folder.path)/tls.crt"
    let tls = GatewayConfiguration.TLS(certificate: certificate, key: "\(folder.path)/tls.key", clientCA: nil)
    var used: GatewayConfiguration?
    try await GatewayFixture.run(adjust: { configuration in
      configuration.server.tls = tls
      used = configuration
    }) { fixture in
      let url = "https://127.0.0.1:\(fixture.client.port)/healthz"
      #expect(await status(of: url, trusting: certificate) == 200)
      let plain = try fixture.client.get("/healthz")
      #expect(plain.status == 400)
      try FileManager.default.copyItem(atPath: certificate, toPath: "\(folder.path)/old.crt")
      try folder.makeCertificate()
      let configuration = try #require(used)
      await fixture.gateway.reload(.success(configuration))
      #expect(await status(of: url, trusting: certificate) == 200)
      #expect(await status(of: url, trusting: "\(folder.path)/old.crt") == nil)
      // A key that does not match leaves the old pair in force.
      try Data("nonsense".utf8).write(to: URL(filePath: "\(folder.path)/tls.key"))
      await fixture.gateway.reload(.success(configuration))
      #expect(await status(of: url, trusting: certificate) == 200)
    }
  }

  @Test func printsItsAddressAsAUsableURL() throws {
    let folder = try TemporaryFolder()
    try folder.makeCertificate()
    let configuration = """
      server: {listen: "127.0.0.1:0", tls: {certificate: tls.crt, key: tls.key}}
      queue: {url: "sqlite:queue.db"}
      apps:
        default:
          {catalog: "\(GatewayFixture.repository)/config/catalog.yaml", \
            credentials: none, project_id: p, endpoint: "http://127.0.0.1:1"}
      """
    try Data(configuration.utf8).write(to: URL(filePath: "\(folder.path)/gateway.yaml"))
    let gateway = try DragomanProcess(["serve", "--config", "\(folder.path)/gateway.yaml"])
    let address = try gateway.address(after: "gateway listening on ")
    #expect(address.hasPrefix("https://127.0.0.1:"))
    #expect(gateway.terminate() == 0)
  }

  @Test func reportsInvalidFiles() async throws {
    let folder = try TemporaryFolder()
    let tls = GatewayConfiguration.TLS(
      certificate: "\(folder.path)/none.crt", key: "\(folder.path)/none.key", clientCA: nil)
    let error = await #expect(throws: GatewayError.self) {
      try await GatewayFixture.run(adjust: { $0.server.tls = tls }) { _ in }
    }
    let file = tls.certificate
    #expect(error?.description == "server.tls.certificate: \(file): No such file or directory")
  }
}
