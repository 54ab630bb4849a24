internal import Clock
internal import JSON

/// One answered HTTP request, as the access log and the metrics record it: without query, ids and bodies.
package struct AccessLine: Sendable, Equatable {
  /// The method if it is a known one, otherwise `other`, because callers may send any text.
  package let method: String
  /// The route's template, such as `/v1/notifications/{id}`; never the requested path.
  package let route: String
  package let status: Int
  package let duration: Duration
  /// The size of the response's content.
  package let bytes: Int
  /// Whether all of the response left; otherwise, the client was gone before.
  package let isWhole: Bool
  /// The name of the client that made the request.
  package let client: String?
  package let requestID: RequestID
  package let trace: TraceContext
  package let peer: String?

  /// The route of requests that matched none.
  package static let unmatchedRoute = "unmatched"

  /// `route` is nil if no route matched.
  package init(
    method: String, route: String?, status: Int, duration: Duration, bytes: Int, isWhole: Bool = true,
    client: String? = nil,
    requestID: RequestID, trace: TraceContext, peer: String? = nil
  ) {
    self.method = Self.label(ofMethod: method)
    self.route = route ?? Self.unmatchedRoute
    self.status = status
    self.duration = duration
    self.bytes = bytes
    self.isWhole = isWhole
    self.client = client
    self.requestID = requestID
    self.trace = trace
    self.peer = peer
  }

  private static let knownMethods = [
    "POST", "GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT",
  ]

  /// The method if it is a known one, otherwise `other`.
  static func label(ofMethod method: String) -> String {
    knownMethods.contains { $0.hasSameBytes(as: method) } ? method : "other"
  }

  /// The fields that all log lines of one request share.
  package static func commonFields(requestID: RequestID, trace: TraceContext) -> Log.Fields {
    ["request_id": .string(requestID.description), "trace_id": .string(trace.traceID)]
  }
}

extension Log {
  /// Writes the access line of a request. Probes that succeed come every few seconds, and are for debugging.
  package func access(_ line: AccessLine) {
    let isProbe =
      line.isWhole && line.status < 400 && ["/healthz", "/readyz", "/metrics"].contains(line.route)
    write(isProbe ? .debug : .info, "request") { line.append(to: &$0) }
  }
}

extension AccessLine {
  /// Its closures capture what they append, and not the whole line, whose texts would all be counted.
  fileprivate func append(to fields: inout LogFormatter.Line) {
    // Both are names of ours, which need no escapes.
    fields.add(new: "method", isText: true) { [method] in $0.append(contentsOf: method.utf8) }
    fields.add(new: "route", isText: true) { [route] in $0.append(contentsOf: route.utf8) }
    fields.add(new: "status", .integer(status))
    let microseconds = Int(saturating: (duration / .microseconds(1)).rounded())
    fields.add(new: "duration_ms") { $0.append(thousandths: microseconds) }
    fields.add(new: "bytes", .integer(bytes))
    if !isWhole { fields.add(new: "aborted", .bool(true)) }
    if let client { fields.add(new: "client", .string(client)) }
    if let peer { fields.add(new: "peer", .string(peer)) }
    if let given = requestID.given {
      fields.add(new: "request_id", .string(given))
    } else {
      fields.add(new: "request_id", isText: true) { [requestID] in requestID.append(to: &$0) }
    }
    let traceID = trace.parent.traceID
    fields.add(new: "trace_id", isText: true) { traceID.append(to: &$0) }
  }
}

extension [UInt8] {
  /// Appends a number of thousandths as a decimal number: `12.346`, `12.5`, `12`.
  fileprivate mutating func append(thousandths number: Int) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(decimal: Int(clamping: number.magnitude / 1000))
    var rest = number.magnitude % 1000
    if rest > 0 { append(UInt8(ascii: ".")) }
    var place: UInt = 100
    while rest > 0 {
      append(UInt8(ascii: "0") + UInt8(rest / place))
      rest %= place
      place /= 10
    }
  }
}

extension DragomanMetrics {
  /// Counts an answer; `route` is nil if no route matched.
  package func count(method: String, route: String?, status: Int) {
    httpRequests.with(AccessLine.label(ofMethod: method), route ?? AccessLine.unmatchedRoute, String(status))
      .add()
  }

  /// Records how long an answer took.
  package func observe(_ line: AccessLine) {
    httpRequestDuration.with(line.route).observe(line.duration)
  }
}
