package import Catalog

/// The texts that cannot be made for a recipient, and that no fallback replaces.
///
/// Says nothing about the recipient: neither its language nor its release.
package struct NotRenderableError: Error, Sendable, Equatable, CustomStringConvertible {
  package struct Slot: Sendable, Equatable {
    package let name: TextSlot.Name
    /// A sentence about what is wrong and what to do.
    package let reason: String
  }

  package let slots: [Slot]

  /// For logs: names neither the template nor anything about the recipient.
  package var description: String {
    "no text can be made for \(slots.map(\.name.rawValue).joined(separator: ", "))"
  }
}
