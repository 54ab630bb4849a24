internal import HTTPServer
internal import Telemetry

/// What tells one request from another, and the trace that it is a part of: the same in its answer, in all its lines
/// of the log, and in what it leads to.
struct RequestOrigin: Sendable {
  let requestID: RequestID
  /// What the caller named; nil where it takes part in no trace.
  let receivedTrace: TraceContext?
  /// The same, or one that begins here.
  let trace: TraceContext

  init(_ head: HTTPRequestHead) {
    requestID = RequestID(fields: head.headers.values(of: "X-Request-Id"))
    receivedTrace = TraceContext(
      receivedIn: head.headers.values(of: "traceparent"), tracestate: head.headers.values(of: "tracestate"))
    trace = receivedTrace ?? TraceContext(parent: .random())
  }

  var fields: Log.Fields { AccessLine.commonFields(requestID: requestID, trace: trace) }
}
