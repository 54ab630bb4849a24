import FCM
import HTTPClient
import Testing

@testable import GoogleAuth

/// What errors of the layers below mean for a message.
@Suite struct SendErrorTests {
  @Test func refusedCredentialsAreAFaultOfConfiguration() {
    let error = SendError(TokenError.permanent("invalid_grant", status: 400))
    #expect(
      error
        == SendError(
          code: .authentication, httpStatus: 400, message: "invalid_grant", disposition: .permanent,
          scope: .unsent))
  }

  @Test func aFailingTokenServiceIsRetriedWhenItAsks() {
    let error = SendError(TokenError.transient("down", status: 503, retryAfterSeconds: 7))
    #expect(
      error
        == SendError(
          code: .authentication, httpStatus: 503, message: "down", disposition: .retry, scope: .unsent,
          retryAfterSeconds: 7))
  }

  @Test func aShutDownTokenSourceIsAShutDownTransport() {
    #expect(SendError(TokenError.shutDown) == SendError(TransportError.shuttingDown))
  }

  @Test func onlyWhatWasSentMayHaveArrived() {
    for (wasSent, disposition) in [(false, SendError.Disposition.retry), (true, .retryOutcomeUnknown)] {
      let error = SendError(TransportError(code: .broken, wasSent: wasSent, detail: "broken pipe"))
      #expect(error.code == .network)
      #expect(error.disposition == disposition)
    }
  }
}
