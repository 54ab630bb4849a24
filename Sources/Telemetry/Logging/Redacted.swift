/// A secret that appears as `[redacted]` when it, or a value that contains it, is printed, interpolated,
/// dumped or mirrored.
package struct Redacted<Secret: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The secret itself, for the code that uses it.
  package let exposed: Secret

  package init(_ secret: Secret) { exposed = secret }

  package var description: String { "[redacted]" }
  package var debugDescription: String { "[redacted]" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
