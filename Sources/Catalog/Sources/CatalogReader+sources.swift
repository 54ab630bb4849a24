internal import FCMMessage
internal import JSON
internal import LocaleRules
internal import YAML

extension CatalogReader {
  enum SourceField: String, CaseIterable {
    case arb, i18next, compose, gettext
  }

  /// The most sources of one app.
  private static let sourcesMax = 100
  /// The most texts that the values of args can choose among.
  private static let choicesMax = 64

  func readSources(_ field: YAMLField) -> [StringSourceLocation] {
    let elements = field.elements() ?? []
    if elements.count > Self.sourcesMax { field.report("more than \(Self.sourcesMax) sources") }
    return elements.prefix(Self.sourcesMax).compactMap { element in
      guard let fields = element.fields(SourceField.self) else { return nil }
      let named = StringSourceLocation.Format.allCases.compactMap { format in
        SourceField(rawValue: format.rawValue).flatMap { fields[$0] }.map { (format, $0) }
      }
      guard named.count == 1, let (format, path) = named.first else {
        if named.count > 1 || element.node.mapping?.isEmpty ?? true {
          element.report("must name exactly one of arb, i18next, compose and gettext")
        }
        return nil
      }
      guard let text = path.nonEmptyString() else { return nil }
      if format.isPattern != text.contains(StringSourceLocation.localeMark) {
        path.report(
          format.isPattern
            ? "must have {locale} in the place of the language" : "must be a folder, without {locale}")
        return nil
      }
      return StringSourceLocation(format, resolved(text), line: element.node.line)
    }
  }

  /// Reads a slot whose texts a source has.
  func readSourceSlot(
    _ name: TextSlot.Name, _ field: YAMLField, _ keyField: YAMLField, _ fields: YAMLFields<SlotField>,
    _ params: [Param]
  ) -> TextSlot? {
    for other in [SlotField.android, .ios, .variants] {
      fields[other]?.report("cannot stand beside key, whose texts have the same name on both platforms")
    }
    let args = fields[.args].map { readArgs($0, params) } ?? []
    let own = fields[.plural].flatMap { readNumberParam($0, params) }
    if let own, !args.contains(where: { $0.hasSameBytes(as: own.name) }) {
      fields[.plural]?.report("must be one of the slot's args, which the texts show")
    }
    guard let key = keyField.nonEmptyString() else { return nil }
    guard let sourceKeys else {
      keyField.report("needs resources.sources, which say where the texts are written")
      return nil
    }
    let shape = sourceKeys.shape(of: key)
    let number = shape.flatMap { self.number(of: $0, own: own, args, params) }
    let plural = number.flatMap { param in
      languages?.partition(for: keyField).map {
        TextSlot.Plural(param: param.name, partition: $0.refined(by: shape?.forms ?? []))
      }
    }
    let choices = self.choices(among: shape?.selects ?? [], args, params)
    let texts = choices.map { conditions in
      let suffix = conditions.map { "_\(SourceKeys.nativeName($0.value.text))" }.joined()
      let text = LocText(
        key: SourceKeys.nativeName(key) + suffix, args: args, line: field.node.line)
      return TextSlot.Texts(android: name == .subtitle ? nil : text, ios: text)
    }
    let names = texts.compactMap(\.ios).flatMap { text in
      plural.map { plural in
        plural.partition.smallestMembers.indices.map { plural.text(text, ofClass: $0).key }
      }
        ?? [text.key]
    }
    let conflict = sourceKeys.conflict(
      key, names: names, args: args, number: number?.name, line: field.node.line)
    if let conflict { keyField.report(conflict) }
    let all = zip(choices, texts).map { conditions, texts in
      TextSlot.Variant(conditions: conditions, texts: texts, plural: plural, line: field.node.line)
    }
    guard let last = all.last else { return nil }
    return TextSlot(
      name: name, texts: last.texts, source: SourceUse(key: key, conditions: last.conditions),
      plural: plural, variants: all.dropLast(), line: field.node.line)
  }

  /// The param whose number chooses a text; nil if there is none that can. `check` says why.
  private func number(of shape: SourceShape, own: Param?, _ args: [String], _ params: [Param]) -> Param? {
    switch shape.number {
    case .none: return nil
    case .ofSlot: return own
    case .argument(let name):
      guard args.contains(where: { $0.hasSameBytes(as: name) }) else { return nil }
      return params.first { $0.name.hasSameBytes(as: name) && $0.type == .integer }
    }
  }

  /// All combinations of the values of the args that choose a text, as far as they are known.
  private func choices(
    among selects: [String], _ args: [String], _ params: [Param]
  ) -> [[TextSlot.Condition]] {
    var choices: [[TextSlot.Condition]] = [[]]
    for name in selects where args.contains(where: { $0.hasSameBytes(as: name) }) {
      guard let param = params.first(where: { $0.name.hasSameBytes(as: name) }), let values = param.choices,
        choices.count * values.count <= Self.choicesMax
      else { continue }
      choices = choices.flatMap { chosen in
        values.map { chosen + [TextSlot.Condition(param: param.name, value: $0)] }
      }
    }
    return choices
  }
}

extension Param {
  /// The values that it can have, if they are few.
  fileprivate var choices: [ParamValue]? {
    type == .boolean ? [.boolean(true), .boolean(false)] : allowed
  }
}
