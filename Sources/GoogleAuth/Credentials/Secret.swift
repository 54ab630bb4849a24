/// A text that descriptions, reflection and dumps do not show.
package struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
  package let value: String

  init(_ value: String) { self.value = value }

  package var description: String { "…" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
