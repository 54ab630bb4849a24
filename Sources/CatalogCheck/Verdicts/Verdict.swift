/// What a reader gets of a template, worst first.
package enum Verdict: String, Sendable, CaseIterable, Comparable {
  /// The Android app ends.
  case crash
  /// An iPhone shows a key.
  case rawKey = "raw_key"
  /// Android leaves the title or body out.
  case dropped
  /// The text shows its own key, a damaged placeholder, or something else that nobody wrote for readers.
  case garbled
  /// A text of another language than the reader's, which the app offers.
  case otherLanguage = "other_language"
  /// The template's fallback, which has one language.
  case fallback
  case ok

  /// A worse verdict comes first.
  package static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}
