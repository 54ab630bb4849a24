internal import AppStrings
internal import Catalog
package import FCMMessage
internal import JSON

/// The catalog as a file that people correct.
extension FirstCatalog {
  typealias NamedDraft = (name: String, draft: Draft)

  static func yaml(
    push: [NamedDraft], others: [NamedDraft], leftOutCount: Int, alone: [String],
    folders: [(name: String, place: String)], language: String?
  ) -> String {
    var lines = [
      "# A first catalog, made by `dragoman init` from the apps' strings. Correct what it guessed: which "
        + "texts belong",
      "# together, and the names and types of the params. `dragoman check` then finds what is still wrong.",
      "version: 1",
    ]
    let folders = folders.map { "\($0.name): \($0.place)" }
    let languages = language.map { ["development_language: \(scalar($0))"] } ?? []
    lines.append("resources: {\((folders + languages).joined(separator: ", "))}")
    lines += [
      "# `bidi: isolate` keeps a name in another script from reordering the sentence around it.",
      "defaults: {ttl: 24h, priority: high, bidi: isolate}", "templates:",
    ]
    for (name, draft) in push { lines += template(name, draft) }
    if !push.isEmpty, !others.isEmpty {
      lines.append("  # The names of these keys do not look like push messages. Remove what you do not send.")
    }
    for (name, draft) in others { lines += template(name, draft) }
    if leftOutCount > 0 {
      lines.append(
        "# \(leftOutCount) more could be made: choose keys with --key, such as --key 'order_*', or use --all."
      )
    }
    if !alone.isEmpty {
      lines.append("# Not used, because the other platform has no such key or another key has its slot:")
      lines += alone.map { "#   \($0.printable)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func template(_ name: String, _ draft: Draft) -> [String] {
    var params = DraftParams()
    var texts: [String] = []
    var fallbacks: [String] = []
    for slotName in TextSlot.Name.allCases {
      guard let slot = draft[slotName] else { continue }
      let both = [slot.android, slot.ios].compactMap(\.self)
      let names = params.add(both, slot: slotName)
      if let source = both.first { texts.append("    # \(excerpt(source.format.text))") }
      // Only iOS has subtitles.
      let android = slotName == .subtitle ? nil : slot.android
      texts.append("    \(slotName.rawValue): \(slotYAML(android, slot.ios, names))")
      if slot.ios != nil, slotName != .subtitle, let text = both.lazy.compactMap(fallback).first {
        fallbacks.append("\(slotName.rawValue): \(quoted(text))")
      }
    }
    var lines = ["  \(scalar(name)):"]
    if !params.lines.isEmpty { lines += ["    params:"] + params.lines.map { "      \($0)" } }
    lines += texts
    if !fallbacks.isEmpty { lines.append("    fallback: {\(fallbacks.joined(separator: ", "))}") }
    return lines
  }

  /// The text as a fallback, with an ellipsis for each arg; nil if nothing else remains, if the message would
  /// become too long, or if it would keep a %, which iOS formats.
  private static func fallback(_ text: Text) -> String? {
    var bytes = Array(text.format.text.utf8)
    let gaps = text.format.placeholders.map(\.range)
    for gap in gaps.sorted(by: { $0.lowerBound > $1.lowerBound }) {
      bytes.replaceSubrange(gap.clamped(to: bytes.indices), with: "…".utf8)
    }
    // A sentence that ends with an arg needs no full stop after the ellipsis, and a % after an arg no sign.
    let plain = String(decoding: bytes, as: UTF8.self).replacing("….", with: "…").replacing("%%", with: "")
    let isText = plain.unicodeScalars.contains { $0.properties.isAlphabetic }
    guard isText || gaps.isEmpty, !plain.utf8.contains(UInt8(ascii: "%")),
      (1...fallbackBytesMax).contains(plain.utf8.count)
    else { return nil }
    return plain
  }

  private static let fallbackBytesMax = 500

  /// The beginning of a text, for a comment.
  private static func excerpt(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(101)
    let isWhole = scalars.count <= 100
    return String(String.UnicodeScalarView(scalars.prefix(100))).printable + (isWhole ? "" : "…")
  }

  private static func slotYAML(_ android: Text?, _ ios: Text?, _ names: [String]) -> String {
    let counts = Set([android, ios].compactMap { $0?.argumentCount })
    func key(_ text: Text) -> String {
      guard counts.count > 1 else { return scalar(text.key) }
      let args = names.prefix(text.argumentCount).joined(separator: ", ")
      return "{key: \(scalar(text.key)), args: [\(args)]}"
    }
    var parts: [String] = []
    if let android { parts.append("android: \(key(android))") }
    if let ios { parts.append("ios: \(key(ios))") }
    if counts.count == 1, !names.isEmpty { parts.append("args: [\(names.joined(separator: ", "))]") }
    if let number = (android ?? ios)?.number { parts.append("plural: \(names[number])") }
    return "{\(parts.joined(separator: ", "))}"
  }

  /// How a catalog at `origin` names a location.
  package static func place(_ location: ResourceLocation, _ origin: CatalogPlace?) -> String {
    scalar(location, origin)
  }

  /// A path, or a project with what is chosen in it.
  static func scalar(_ location: ResourceLocation, _ origin: CatalogPlace?) -> String {
    let path = scalar(origin?.path(to: location.path) ?? location.path)
    let choices = [("module", location.module), ("target", location.target)].compactMap { name, choice in
      choice.map { "\(name): \(scalar($0))" }
    }
    return choices.isEmpty ? path : "{\((["project: \(path)"] + choices).joined(separator: ", "))}"
  }

  /// A plain scalar where YAML's core schema reads it as a string, otherwise a quoted one.
  static func scalar(_ text: String) -> String {
    var bytes = Array(text.utf8)[...]
    let isPlain =
      bytes.popFirst().map { $0.isASCIILetter || $0 == UInt8(ascii: "_") } ?? false
      && bytes.allSatisfy { $0.isASCIIAlphanumeric || "_.-/".utf8.contains($0) }
    let isWord = ["true", "false", "null"].contains(text.lowercased())
    return isPlain && !isWord ? text : quoted(text)
  }

  /// JSON strings are double-quoted YAML scalars, except for characters that YAML does not print (YAML 1.2,
  /// 5.1).
  private static func quoted(_ text: String) -> String {
    String(decoding: JSON.string(text).serialized, as: UTF8.self).unicodeScalars.reduce(into: "") {
      switch $1.value {
      case 0x7F...0x9F, 0x2028...0x2029, 0xFEFF, 0xFFFE...0xFFFF:
        let digits = String($1.value, radix: 16, uppercase: true)
        $0 += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: $0.unicodeScalars.append($1)
      }
    }
  }
}
