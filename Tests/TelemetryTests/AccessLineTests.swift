import JSON
import Synchronization
import Testing

@testable import Telemetry

struct AccessLineTests {
  private let trace = TraceContext(
    traceparent: ["00-12345678901234567890123456789012-1234567890123456-01"], tracestate: [])

  @Test func recordsRequestAndResponse() throws {
    let line = AccessLine(
      method: "POST", route: "/v1/notifications/{id}/retry", status: 202, duration: .nanoseconds(12_345_678),
      bytes: 321, client: "orders", requestID: RequestID(fields: ["r-1"]), trace: trace, peer: "10.0.0.7")
    let expected =
      #""message":"request","method":"POST","route":"/v1/notifications/{id}/retry","status":202,"#
      + #""duration_ms":12.346,"bytes":321,"client":"orders","peer":"10.0.0.7","request_id":"r-1","#
      + #""trace_id":"12345678901234567890123456789012"}"#
    #expect(try written(line).hasSuffix(expected + "\n"))
  }

  @Test func marksAnAnswerThatDidNotLeave() throws {
    let line = AccessLine(
      method: "GET", route: "/", status: 200, duration: .zero, bytes: 9, isWhole: false,
      requestID: RequestID(fields: ["r"]), trace: trace)
    #expect(try JSON.parse(written(line))["aborted"] == true)
  }

  @Test func omitsUnknownFields() throws {
    let line = AccessLine(
      method: "BREW\u{1B}", route: nil, status: 404, duration: .zero, bytes: 0,
      requestID: RequestID(fields: ["r"]),
      trace: trace)
    let object = try JSON.parse(written(line))
    #expect(object["method"] == "other" && object["route"] == "unmatched")
    #expect(object["duration_ms"] == 0)
    #expect(object["client"] == nil && object["peer"] == nil && object["aborted"] == nil)
  }

  /// Probes of load balancers and Prometheus would be most of the log.
  @Test(arguments: ["/healthz", "/readyz", "/metrics"])
  func leavesOutProbesThatSucceed(route: String) throws {
    func line(_ status: Int) -> AccessLine {
      AccessLine(
        method: "GET", route: route, status: status, duration: .zero, bytes: 0,
        requestID: RequestID(fields: ["r"]), trace: trace)
    }
    #expect(try written(line(200)).isEmpty)
    #expect(try !written(line(503)).isEmpty)
  }

  private func written(_ line: AccessLine) throws -> String {
    let bytes = Mutex<[UInt8]>([])
    let log = Log(sink: { line in bytes.withLock { $0 += line } })
    log.access(line)
    #expect(log.flush())
    return String(decoding: bytes.withLock { $0 }, as: UTF8.self)
  }
}
