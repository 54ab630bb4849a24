internal import HTTPServer
internal import Telemetry

/// The id of a request and the trace that it is part of, for its answer, its log lines and its deliveries.
struct RequestOrigin: Sendable {
  let requestID: RequestID
  /// The caller's trace; nil if it named none.
  let receivedTrace: TraceContext?
  /// The caller's trace, or one that begins here.
  let trace: TraceContext

  init(_ head: HTTPRequestHead) {
    requestID = RequestID(fields: head.headers.values(of: "X-Request-Id"))
    receivedTrace = TraceContext(
      receivedIn: head.headers.values(of: "traceparent"), tracestate: head.headers.values(of: "tracestate"))
    trace = receivedTrace ?? TraceContext(parent: .random())
  }

  var fields: Log.Fields { AccessLine.commonFields(requestID: requestID, trace: trace) }
}
