internal import AppStrings

/// The name of a param, guessed from the words around its placeholder in an English text; what no rule
/// recognizes has none.
enum ParamName {
  private static let byWordBefore = [
    "from": "sender", "by": "sender", "in": "place", "at": "time", "on": "date",
    "until": "date", "hello": "name", "hi": "name", "hey": "name", "dear": "name", "welcome": "name",
    "thanks": "name", "goodbye": "name",
  ]

  /// What somebody did whose name comes before.
  private static let verbs: Set<String> = [
    "accepted", "added", "answered", "asked", "called", "commented", "follows", "followed", "invited", "is",
    "joined", "left", "liked", "mentioned", "posted", "reacted", "replied", "said", "says", "sent", "shared",
    "started", "tagged", "wants", "wrote",
  ]

  private static let units: Set<String> = [
    "seconds", "minutes", "hours", "days", "weeks", "points", "kilometers", "miles", "steps",
  ]

  /// Words before a placeholder that do not name what it stands for.
  private static let noNames: Set<String> = [
    "and", "are", "but", "for", "has", "have", "her", "his", "just", "new", "not", "now", "off", "only",
    "our",
    "out", "over", "than", "that", "the", "their", "then", "this", "was", "were", "will", "with", "you",
    "your",
  ]

  /// The name that the file gives a placeholder, as params are written; nil if it names nothing: `1`, `arg2`.
  static func named(_ hint: String) -> String? {
    let words = KeyWords(hint).words.filter { $0.allSatisfy { $0.isASCII } }
    guard let first = words.first, first.utf8.first?.isASCIILetter == true, words.count <= 5,
      words.allSatisfy({ $0.utf8.count <= 30 })
    else { return nil }
    let name = words.joined(separator: "_")
    let stem = name.utf8.reversed().drop { $0.isASCIIDigit || $0 == UInt8(ascii: "_") }.reversed()
    let isNumbered = ["arg", "param", "p", "s", "d", "placeholder", "value", "string", "x"].contains {
      stem.elementsEqual($0.utf8)
    }
    return isNumbered ? nil : name
  }

  /// The name for the arg at `index` of a text, whose number comes at `number` if it is a plural.
  static func guess(_ index: Int, in format: FormatString, number: Int?) -> String? {
    guard let placeholder = format.placeholders.first(where: { $0.argument == index }) else {
      return index == number ? "count" : nil
    }
    let bytes = Array(format.text.utf8)
    let before = wordBefore(bytes[..<placeholder.range.lowerBound])
    let after = wordAfter(bytes[placeholder.range.upperBound...])
    if let after, units.contains(after) { return after }
    if index == number || placeholder.conversion == .number { return "count" }
    if bytes[placeholder.range.upperBound...].starts(with: "%%".utf8) { return "percent" }
    if let before, let name = byWordBefore[before] { return name }
    if let after, verbs.contains(after) { return "sender" }
    guard let before, before.utf8.count >= 3, !noNames.contains(before),
      !["ed", "ing", "ly"].contains(where: before.hasSuffix)
    else { return nil }
    return before
  }

  /// Whether a text says what somebody did, whose name is an arg.
  static func namesSender(in format: FormatString) -> Bool {
    let bytes = Array(format.text.utf8)
    return format.placeholders.contains { placeholder in
      placeholder.range.upperBound <= bytes.count
        && wordAfter(bytes[placeholder.range.upperBound...]).map(verbs.contains) == true
    }
  }

  /// The word that ends where the placeholder begins; only spaces, quotes and signs such as `#` are between.
  private static func wordBefore(_ bytes: ArraySlice<UInt8>) -> String? {
    let rest = bytes.reversed().drop { " \"'#:(,".utf8.contains($0) }
    guard rest.count < bytes.count else { return nil }
    return word(rest.prefix { !isEnd($0) }.reversed())
  }

  private static func wordAfter(_ bytes: ArraySlice<UInt8>) -> String? {
    let rest = bytes.drop { " \"')".utf8.contains($0) }
    guard rest.count < bytes.count else { return nil }
    return word(Array(rest.prefix { !isEnd($0) }))
  }

  private static func isEnd(_ byte: UInt8) -> Bool {
    " \n\t.,:;!?\"'()%".utf8.contains(byte)
  }

  /// In lower case; nil unless it consists of ASCII letters.
  private static func word(_ bytes: [UInt8]) -> String? {
    guard !bytes.isEmpty, bytes.count <= 30, bytes.allSatisfy(\.isASCIILetter) else { return nil }
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }
}
