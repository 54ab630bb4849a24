internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON
internal import LocaleRules
internal import StringSources

/// Makes the native strings of a source's text, for the args of a slot.
struct SourceTextWriter {
  struct Text {
    let platform: AppPlatform
    let key: String
    let text: String
  }

  private let slot: TextSlot
  private let template: Template
  private let args: [String]
  private let platforms: [AppPlatform]

  init(_ slot: TextSlot, of template: Template) {
    (self.slot, self.template) = (slot, template)
    args = slot.texts.ios?.args ?? []
    platforms = AppPlatform.allCases.filter { slot.texts[$0] != nil }
  }

  /// The native names of a choice's texts.
  func names(_ choice: TextSlot.SourceChoice) -> [String] {
    numbers(choice).compactMap { index, _ in key(choice, on: .ios, index) }
  }

  /// The texts of an entry on all platforms, for all values and classes of numbers that it has a text for.
  func texts(_ entry: SourceStrings.Entry, _ rules: PluralRules) throws(SourceTextError) -> [Text] {
    let message = try entry.content.get()
    try verify(message)
    return slot.sourceChoices.flatMap { choice -> [Text] in
      let values = Dictionary(
        choice.conditions.map { ($0.param, $0.value.text) }, uniquingKeysWith: { first, _ in first })
      return numbers(choice).flatMap { index, number -> [Text] in
        let pieces = message.pieces(values: values) { plural in
          guard let number else { return plural.plain }
          return plural.index(of: number, rules.category(of: number)).map { plural.forms[$0] }
        }
        guard let pieces else { return [] }
        return platforms.compactMap { platform in
          key(choice, on: platform, index).map { key in
            Text(platform: platform, key: key, text: text(pieces, platform))
          }
        }
      }
    }
  }

  /// The classes of numbers of a choice with their smallest members; one without a number if there are none.
  private func numbers(_ choice: TextSlot.SourceChoice) -> [(index: Int?, number: UInt64?)] {
    guard let plural = choice.plural else { return [(nil, nil)] }
    return plural.partition.smallestMembers.enumerated().map { ($0, $1) }
  }

  private func key(_ choice: TextSlot.SourceChoice, on platform: AppPlatform, _ index: Int?) -> String? {
    choice.texts[platform].map { text in
      index.flatMap { index in choice.plural?.text(text, ofClass: index).key } ?? text.key
    }
  }

  private func text(_ pieces: [SourceMessage.Piece], _ platform: AppPlatform) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text): args.isEmpty ? text : text.withDoubledPercents
      case .argument(let name):
        args.firstIndex { $0.hasSameBytes(as: name) }.map { placeholder($0, platform) } ?? ""
      case .position(let index): placeholder(index, platform)
      }
    }.joined()
  }

  private func placeholder(_ index: Int, _ platform: AppPlatform) -> String {
    "%\(index + 1)$\(platform == .android ? "s" : "@")"
  }

  // MARK: What a text must not need

  private func verify(_ message: SourceMessage) throws(SourceTextError) {
    for piece in message.shown {
      switch piece {
      case .text: break
      case .argument(let name): try verify(name)
      case .position(let index):
        guard args.indices.contains(index) else {
          throw SourceTextError(
            FindingText(.argOutOfRange, [index + 1, args.count]), help: FindingText(.addArg))
        }
      }
    }
    for (name, plural) in message.plurals { try verify(name, plural) }
    for name in message.selects {
      try verify(name)
      let isChosen = slot.source?.conditions.contains { $0.param.hasSameBytes(as: name) } ?? false
      guard isChosen else {
        throw SourceTextError(
          FindingText(.valueNotListed, [name]), help: FindingText(.giveEnum, [name]))
      }
    }
  }

  private func verify(_ name: String) throws(SourceTextError) {
    guard !args.contains(where: { $0.hasSameBytes(as: name) }) else { return }
    let similar = nearestName(to: name, among: args).map { FindingText(.unknownArgSimilar, [name, $0]) }
    throw SourceTextError(
      similar ?? FindingText(.unknownArg, [name]), help: FindingText(.correctArgName))
  }

  private func verify(_ name: String?, _ plural: SourcePlural) throws(SourceTextError) {
    if let name { try verify(name) }
    guard let chosen = slot.plural?.param else {
      if name == nil, plural.plain != nil { return }
      let param = name.flatMap { name in template.params.first { $0.name.hasSameBytes(as: name) } }
      throw param.map { param in
        SourceTextError(
          FindingText(.noIntegerParam, [param.name]), help: FindingText(.giveInteger))
      }
        ?? SourceTextError(
          FindingText(.unknownNumber), help: FindingText(.addPluralToSlot))
    }
    if let name, !name.hasSameBytes(as: chosen) {
      throw SourceTextError(
        FindingText(.dependsOnTwo, [chosen, name]), help: FindingText(.dependOnOne))
    }
  }
}

extension String {
  /// The text with each percent sign doubled, also one that a following character combines with.
  var withDoubledPercents: String {
    String(decoding: utf8.flatMap { $0 == UInt8(ascii: "%") ? [$0, $0] : [$0] }, as: UTF8.self)
  }
}
