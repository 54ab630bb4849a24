/// The trace that a request belongs to: its own, or one that it starts (W3C Trace Context, level 2, §4).
package struct TraceContext: Sendable, Hashable {
  package let parent: TraceParent
  package let state: TraceState?

  package init(parent: TraceParent, state: TraceState? = nil) {
    self.parent = parent
    self.state = state
  }

  /// Takes all `traceparent` and `tracestate` fields of a request. Without exactly one sound `traceparent` it
  /// starts a trace, and `tracestate` means nothing.
  package init(traceparent: [String], tracestate: [String]) {
    guard traceparent.count == 1, let parent = TraceParent(traceparent[0]) else {
      self.init(parent: .random())
      return
    }
    self.init(parent: parent, state: TraceState(tracestate))
  }

  /// For a request that this one causes: the same trace, a span of its own.
  package func child() -> TraceContext { TraceContext(parent: parent.child(), state: state) }

  /// 32 lower-case hexadecimal digits, for logs.
  package var traceID: String { parent.traceID.description }

  /// The fields to send.
  package var fields: [(name: String, value: String)] {
    var fields = [(name: "traceparent", value: parent.description)]
    if let state { fields.append((name: "tracestate", value: state.description)) }
    return fields
  }
}
