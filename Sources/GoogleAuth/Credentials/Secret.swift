/// A text that descriptions, reflection and dumps do not show.
struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
  let value: String

  init(_ value: String) { self.value = value }

  var description: String { "…" }
  var customMirror: Mirror { Mirror(self, children: []) }
}
