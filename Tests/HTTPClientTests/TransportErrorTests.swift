import HTTPClient
import Telemetry
import TestSupport
import Testing

/// No error of the transport shows anything of the request or the response.
@Suite(.timeLimit(.minutes(1))) struct TransportErrorTests {
  private func error(
    from url: String, over transport: HTTPTransport
  ) async -> TransportError? {
    let destination = Destination(url: url + "/s3cret-path", timeout: .seconds(2))
    let result: Result<TransportResponse, TransportError> = await withCheckedContinuation { continuation in
      transport.send(
        TransportRequest(
          destination: destination, headers: HeaderList(["Authorization: Bearer s3cret-key"]),
          body: Array("s3cret-body".utf8)
        ) { continuation.resume(returning: $0) })
    }
    if case .failure(let error) = result { return error }
    return nil
  }

  @Test func descriptionHoldsNothingOfRequestOrResponse() async throws {
    let transport = HTTPTransport(log: .silent)
    let answers: [StandIn.Answer] = [
      .raw("s3cret garbage\r\n\r\n"), .raw("HTTP/1.1 200 OK\r\nContent-Length: s3cret\r\n\r\n"), .close,
      .hold,
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ns3cret"),
    ]
    for answer in answers {
      let standIn = try StandIn { _ in answer }
      let error = try #require(await error(from: standIn.url, over: transport))
      #expect(!error.description.contains("s3cret"), "\(error)")
      standIn.stop()
    }
    let dead = await error(from: "http://127.0.0.1:\(try StandIn.deadPort())", over: transport)
    let unusable = await error(from: "s3cret://[", over: transport)
    for error in [dead, unusable] { #expect(error?.description.contains("s3cret") == false) }
    await transport.shutDown()
  }
}
