package import CatalogCheck

/// What an app does with the texts of messages that are given as a whole (`apps.NAME.raw`).
package struct RawMessagePolicy: Sendable {
  package enum Check: String, Sendable, CaseIterable {
    case off, report, reject
  }

  let mode: Check
  let check: RawMessageCheck
  /// What is known depends on the check, and is forgotten with it.
  let known = KnownMessages()

  package init(_ mode: Check, by check: RawMessageCheck) { (self.mode, self.check) = (mode, check) }
}
