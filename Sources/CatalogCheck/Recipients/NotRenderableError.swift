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

  /// Those of several languages, if a message is for as many.
  package let slots: [Slot]

  /// Each slot once.
  package var names: String {
    TextSlot.Name.allCases.filter { name in slots.contains { $0.name == name } }.map(\.rawValue)
      .joined(separator: ", ")
  }

  /// For logs: names neither the template nor anything about the recipient.
  package var description: String {
    "no text can be made for \(names)"
  }
}
