import DeliveryReports
import Clock
import FCMMessage
import Foundation
import Telemetry
import Testing

@testable import Feedback
@testable import Outbox

private let oraclePython = ProcessInfo.processInfo.environment["DRAGOMAN_ORACLE_PYTHON"]

/// The webhook against the reference verifier, on the machine's own clock; `DRAGOMAN_ORACLE_PYTHON` names a
/// Python that has PyPI's standardwebhooks.
@Suite(.enabled(if: oraclePython != nil), .timeLimit(.minutes(2))) struct WebhookOracleTests {
  @Test func referenceVerifierAcceptsEveryRequest() async throws {
    let process = Process()
    process.executableURL = URL(filePath: try #require(oraclePython))
    process.arguments = ["Tests/oracles/webhook_oracle.py", secretText, "23"]
    let output = Pipe()
    process.standardOutput = output
    let said = Signals<String>()
    output.fileHandleForReading.readabilityHandler = {
      said.send(String(decoding: $0.availableData, as: UTF8.self))
    }
    let ended = Signals<Int32>()
    process.terminationHandler = { ended.send($0.terminationStatus) }
    try process.run()
    let line = try #require(await said.next())
    let url = try #require(line.split(whereSeparator: \.isWhitespace).last)
    let log = ListedLog(20)
    for (index, outcome) in DeliveryOutcome.allCases.enumerated() {
      log.append(
        .outcome(
          OutcomeEvent(
            id: Int64(21 + index), outcome: outcome, app: "default", template: "welcome", client: "é\u{2028}",
            notification: NotificationID(UUIDv7()), delivery: DeliveryID(UUIDv7()), target: .topic("news"),
            attempts: 1, code: outcome == .sent ? nil : "UNAVAILABLE",
            messageName: outcome == .sent ? "projects/p/messages/1" : nil, at: .now)))
    }
    let webhook = FeedbackWebhook(
      url: try WebhookURL("\(url)/hook", allowsPrivateAddresses: true),
      secrets: try WebhookSecret.list("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX,\(secretText)"),
      source: log, log: .silent)
    webhook.start()
    let status = await ended.next()
    let verdict = await said.next()
    #expect(status == 0, "\(verdict ?? "")")
    await webhook.stop()
  }
}
