/// A secret that prints as `[redacted]` wherever it, or what holds it, is printed, interpolated, dumped or mirrored.
package struct Redacted<Secret: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The secret itself, for the one place that needs it.
  package let exposed: Secret

  package init(_ secret: Secret) { exposed = secret }

  package var description: String { "[redacted]" }
  package var debugDescription: String { "[redacted]" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
