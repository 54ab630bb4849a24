internal import JSON

/// One answered HTTP request, as the access log and the metrics tell it: no query, no ids, no bodies.
package struct AccessLine: Sendable, Equatable {
  /// A known method, else `other`: callers may send any.
  package let method: String
  /// The route's template, such as `/v1/notifications/{id}`; never the path that was asked for.
  package let route: String
  package let status: Int
  package let duration: Duration
  /// Of the answer's content.
  package let bytes: Int
  /// The name of the client whose key was used.
  package let client: String?
  package let requestID: RequestID
  package let trace: TraceContext
  package let peer: String?

  package static let unmatchedRoute = "unmatched"

  /// `route` is nil where no route matched.
  package init(
    method: String, route: String?, status: Int, duration: Duration, bytes: Int, client: String? = nil,
    requestID: RequestID, trace: TraceContext, peer: String? = nil
  ) {
    self.method = Self.knownMethods.contains { $0.hasSameBytes(as: method) } ? method : "other"
    self.route = route ?? Self.unmatchedRoute
    self.status = status
    self.duration = duration
    self.bytes = bytes
    self.client = client
    self.requestID = requestID
    self.trace = trace
    self.peer = peer
  }

  private static let knownMethods = [
    "POST", "GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT",
  ]

  /// The fields by which all lines of one request are found.
  package static func commonFields(requestID: RequestID, trace: TraceContext) -> Log.Fields {
    ["request_id": .string(requestID.description), "trace_id": .string(trace.traceID)]
  }
}

extension Log {
  /// Writes the one line that each answered request gets.
  package func access(_ line: AccessLine) {
    write(.info, "request") { fields in
      fields.add("method", .string(line.method))
      fields.add("route", .string(line.route))
      fields.add("status", .integer(line.status))
      fields.add("duration_ms", .number((line.duration / .microseconds(1)).rounded() / 1_000))
      fields.add("bytes", .integer(line.bytes))
      if let client = line.client { fields.add("client", .string(client)) }
      if let peer = line.peer { fields.add("peer", .string(peer)) }
      fields.add("request_id", .string(line.requestID.description))
      fields.add("trace_id", .string(line.trace.traceID))
    }
  }
}

extension DragomanMetrics {
  /// Counts an answered request.
  package func record(_ line: AccessLine) {
    httpRequests.with(line.method, line.route, String(line.status)).add()
    httpRequestDuration.with(line.route).observe(line.duration)
  }
}
