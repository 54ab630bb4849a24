internal import AppStrings
internal import Catalog
package import FCMMessage
internal import JSON
internal import LocaleRules
internal import StringSources

/// A first catalog made from texts that are written elsewhere than in native strings, for `dragoman init`.
package struct SourceCatalog: Sendable {
  package let yaml: String
  package let templateCount: Int

  /// A key of a source with what its text in the source language needs.
  private struct Candidate {
    let key: String
    let args: [Arg]
    /// Whether the slot must say which arg the number is.
    let needsNumber: Bool
    let text: FirstCatalog.Text
    /// Without args, for iPhones whose app does not have the text yet.
    let fallback: String
  }

  private struct Ranked {
    let name: String
    let slots: [TextSlot.Name: Candidate]
    let rank: PushLikelihood
  }

  private struct Arg {
    enum Kind {
      case string, number
      case values([String])
    }

    let name: String
    let kind: Kind
  }

  /// The keys whose texts look like push messages, the likeliest first. `resources` is what the catalog says
  /// about native strings. Throws if no text looks like one.
  package init(
    _ sources: [StringSourceLocation], resources: [(name: String, place: String)], language: String?,
    movedFrom origin: CatalogPlace? = nil
  ) throws(FirstCatalogError) {
    let strings = SourceStrings(sources, developmentLanguage: language)
    let source =
      strings.languages.first { $0.locale == strings.sourceLanguage }
      ?? strings.languages.first { $0.locale == LocaleTag(language ?? "en") } ?? strings.languages.first
    let entries = source.map(Self.entries) ?? []
    let candidates = entries.compactMap(Self.candidate)
    let known = Set(candidates.map { KeyWords($0.key) })
    var drafts: [String: [TextSlot.Name: Candidate]] = [:]
    for candidate in candidates {
      let (name, slot) = KeyWords(candidate.key).guess(among: known)
      if !name.isEmpty, drafts[name]?[slot] == nil { drafts[name, default: [:]][slot] = candidate }
    }
    let ranked = drafts.map { name, slots in
      let draft: FirstCatalog.Draft = slots.mapValues { FirstCatalog.Slot(android: $0.text, ios: nil) }
      return Ranked(name: name, slots: slots, rank: PushLikelihood(draft))
    }
    let likely = ranked.filter(\.rank.isLikely).sorted { left, right in
      left.rank == right.rank ? left.name < right.name : left.rank > right.rank
    }
    let kept = likely.prefix(FirstCatalog.templatesMax)
    guard !kept.isEmpty else { throw .noPushTexts }
    templateCount = kept.count
    let own = source?.locale.description ?? language ?? "en"
    var lines = [
      "# A first catalog, made by `dragoman init` from the app's texts. Correct what it guessed, then write the texts into",
      "# the native strings, where phones find them: `dragoman strings --write`.", "version: 1", "resources:",
    ]
    lines += resources.map { "  \($0.name): \($0.place)" }
    lines += ["  development_language: \(FirstCatalog.scalar(own))", "  sources:"]
    for location in sources {
      let path = origin?.path(to: location.path) ?? location.path
      lines.append("    - {\(location.format.rawValue): \(FirstCatalog.scalar(path))}")
    }
    lines += ["defaults: {ttl: 24h, priority: high, bidi: isolate}", "templates:"]
    for draft in kept { lines += Self.template(draft.name, draft.slots) }
    yaml = lines.joined(separator: "\n") + "\n"
  }

  /// The entries of a language, each once, without the forms of plurals that are entries themselves.
  private static func entries(_ language: SourceStrings.Language) -> [SourceStrings.Entry] {
    let all = Dictionary(
      language.entries.values.map { (ExactText($0.key), $0) }, uniquingKeysWith: { first, _ in first })
    return all.values.filter { entry in
      let end = entry.key.lastIndex(of: "_") ?? entry.key.startIndex
      let category = entry.key[end...].dropFirst()
      let stem = all[ExactText(String(entry.key[..<end]))]
      guard PluralCategory(rawValue: String(category)) != nil, case .success(let message)? = stem?.content
      else {
        return true
      }
      return message.plurals.isEmpty
    }.sorted { $0.key < $1.key }
  }

  /// Nil for a text that no native string can have.
  private static func candidate(_ entry: SourceStrings.Entry) -> Candidate? {
    guard case .success(let message) = entry.content else { return nil }
    var args: [Arg] = []
    func add(_ name: String, _ kind: Arg.Kind) {
      if !args.contains(where: { $0.name == name }) { args.append(Arg(name: name, kind: kind)) }
    }
    let plural = message.plurals.first
    if let plural { add(plural.number ?? "count", .number) }
    for (name, values) in message.choices { add(name, .values(values)) }
    for piece in message.shown {
      switch piece {
      case .text: break
      case .argument(let name): add(name, .string)
      case .position(let index):
        // Positions need as many args, of which the number of a plural is the first.
        while args.count <= index { add("arg_\(args.count + 1)", .string) }
      }
    }
    guard args.allSatisfy({ Self.isName($0.name) }) else { return nil }
    let pieces = message.sample ?? []
    let text = pieces.map { piece in
      switch piece {
      case .text(let text): args.isEmpty ? text : text.withDoubledPercents
      case .argument(let name): "%\((args.firstIndex { $0.name == name } ?? 0) + 1)$s"
      case .position(let index): "%\(index + 1)$s"
      }
    }.joined()
    let fallback = pieces.map { if case .text(let text) = $0 { text } else { "…" } }.joined()
    return Candidate(
      key: entry.key, args: args, needsNumber: plural.map { $0.number == nil } ?? false,
      text: FirstCatalog.Text(key: entry.key, format: FormatString(text, platform: .android)),
      fallback: fallback)
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
  }

  private static func template(_ name: String, _ slots: [TextSlot.Name: Candidate]) -> [String] {
    var params: [(name: String, line: String)] = []
    var texts: [String] = []
    var fallbacks: [String] = []
    for slot in TextSlot.Name.allCases {
      guard let candidate = slots[slot] else { continue }
      for arg in candidate.args where !params.contains(where: { $0.name == arg.name }) {
        params.append((arg.name, line(arg)))
      }
      let names = candidate.args.map(\.name).joined(separator: ", ")
      let args = candidate.args.isEmpty ? "" : ", args: [\(names)]"
      let number = candidate.needsNumber ? ", plural: \(candidate.args.first?.name ?? "count")" : ""
      texts.append("    \(slot.rawValue): {key: \(FirstCatalog.scalar(candidate.key))\(args)\(number)}")
      if slot != .subtitle, !candidate.fallback.isEmpty, !candidate.fallback.utf8.contains(UInt8(ascii: "%"))
      {
        fallbacks.append("\(slot.rawValue): \(FirstCatalog.scalar(candidate.fallback))")
      }
    }
    return ["  \(FirstCatalog.scalar(name)):"]
      + (params.isEmpty ? [] : ["    params:"] + params.map { "      \($0.line)" }) + texts
      + (fallbacks.isEmpty ? [] : ["    fallback: {\(fallbacks.joined(separator: ", "))}"])
  }

  private static func line(_ arg: Arg) -> String {
    switch arg.kind {
    case .number: "\(arg.name): {type: integer, example: 3}"
    case .values(let values):
      "\(arg.name): {type: string, enum: [\(values.map(FirstCatalog.scalar).joined(separator: ", "))]}"
    case .string:
      "\(arg.name): {type: string, max_length: 100, example: \(FirstCatalog.scalar(Param.typicalText(of: arg.name)))}"
    }
  }
}

extension SourceMessage {
  /// The args that choose among texts, with their values.
  fileprivate var choices: [(name: String, values: [String])] {
    var choices: [(name: String, values: [String])] = []
    for (name, values) in selectedValues {
      if let index = choices.firstIndex(where: { $0.name == name }) {
        choices[index].values += values.filter { !choices[index].values.contains($0) }
      } else {
        choices.append((name, values))
      }
    }
    return choices
  }

  /// The text for many, and for the last value of each choice.
  fileprivate var sample: [Piece]? {
    let values = Dictionary(
      selectedValues.compactMap { name, values in values.last.map { (name, $0) } },
      uniquingKeysWith: { first, _ in first })
    return pieces(values: values) { plural in
      plural.index(of: 5, .other).map { plural.forms[$0] } ?? plural.forms.last
    }
  }
}
