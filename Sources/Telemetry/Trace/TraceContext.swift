/// The trace of a request: the caller's, or a new one (W3C Trace Context, level 2, §4).
package struct TraceContext: Sendable, Hashable {
  package let parent: TraceParent
  package let state: TraceState?

  package init(parent: TraceParent, state: TraceState? = nil) {
    self.parent = parent
    self.state = state
  }

  /// Reads all `traceparent` and `tracestate` fields of a request. Unless there is exactly one valid
  /// `traceparent`, a new trace starts and `tracestate` is ignored.
  package init(traceparent: [String], tracestate: [String]) {
    guard traceparent.count == 1, let parent = TraceParent(traceparent[0]) else {
      self.init(parent: .random())
      return
    }
    self.init(parent: parent, state: TraceState(tracestate))
  }

  /// The context of a request that continues a trace; nil if it has no valid `traceparent`.
  package init?(receivedIn traceparent: [String], tracestate: @autoclosure () -> [String]) {
    guard traceparent.count == 1, let parent = TraceParent(traceparent[0]) else { return nil }
    self.init(parent: parent, state: TraceState(tracestate()))
  }

  /// Decodes a value of `stored`; nil for any other text.
  package init?(stored: String) {
    let lines = stored.utf8.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    guard let first = lines.first, let parent = TraceParent(String(decoding: first, as: UTF8.self)) else {
      return nil
    }
    let state = lines.dropFirst().first.flatMap { TraceState([String(decoding: $0, as: UTF8.self)]) }
    self.init(parent: parent, state: state)
  }

  /// The context as one string, for a database.
  package var stored: String {
    guard let state else { return parent.description }
    return "\(parent)\n\(state)"
  }

  /// The context of a request that this one causes: the same trace with a new span.
  package func child() -> TraceContext { TraceContext(parent: parent.child(), state: state) }

  /// The trace id as 32 lower-case hexadecimal digits, for logs.
  package var traceID: String { parent.traceID.description }

  /// The header fields to send.
  package var fields: [(name: String, value: String)] {
    var fields = [(name: "traceparent", value: parent.description)]
    if let state { fields.append((name: "tracestate", value: state.description)) }
    return fields
  }
}
