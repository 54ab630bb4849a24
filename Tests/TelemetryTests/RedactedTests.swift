import JSON
import Synchronization
import Testing

@testable import Telemetry

struct RedactedTests {
  private static let secret = "kR8vT2-secret-mQ5"
  private let redacted = Redacted(RedactedTests.secret)

  private struct Holder: Sendable {
    let name: String
    let key: Redacted<String>
    let more: [Redacted<String>]
    let byName: [String: Redacted<[UInt8]>]
  }

  private struct Failure: Error { let key: Redacted<String> }

  @Test func secretIsAvailableOnRequest() {
    #expect(redacted.exposed == Self.secret)
  }

  @Test func isNeverPrinted() {
    let holder = Holder(
      name: "n", key: redacted, more: [redacted], byName: ["k": Redacted(Array(Self.secret.utf8))])
    var dumped = ""
    dump(holder, to: &dumped)
    dump(Optional(redacted), to: &dumped)
    var printed = ""
    print(redacted, holder, [redacted], ["k": redacted], Optional(redacted) as Any, to: &printed)
    debugPrint(redacted, holder, to: &printed)
    let texts = [
      dumped, printed, "\(redacted)", "\(holder)", String(describing: redacted), String(reflecting: redacted),
      String(reflecting: holder), String(describing: Failure(key: redacted)),
      String(reflecting: Failure(key: redacted)),
      String(describing: Mirror(reflecting: redacted).children.map(\.value)),
    ]
    for text in texts {
      #expect(!text.contains("secret"))
      #expect(!text.contains("115, 101, 99"))
    }
    #expect("\(redacted)" == "[redacted]")
  }

  @Test(arguments: [Log.Format.json, .text])
  func isNeverLogged(format: Log.Format) {
    let written = Mutex<[UInt8]>([])
    let log = Log(level: .debug, format: format, sink: { line in written.withLock { $0 += line } })
    log.with(["common": "\(redacted)"]).debug("m", ["key": "\(redacted)", "all": "\([redacted])"])
    log.error("m", ["error": "\(Failure(key: redacted))"])
    log.flush()
    let text = String(decoding: written.withLock { $0 }, as: UTF8.self)
    #expect(text.contains("[redacted]"))
    #expect(!text.contains("secret"))
  }

  @Test func shortHashesDistinguishSecretsWithoutRevealingThem() {
    #expect(Redaction.shortHash(Self.secret) == Redaction.shortHash(Self.secret))
    #expect(Redaction.shortHash("a") != Redaction.shortHash("b"))
    #expect(Redaction.shortHash("").utf8.count == 8)
  }
}
