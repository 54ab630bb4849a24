internal import FCMMessage
internal import JSON
internal import LocaleRules
internal import YAML

extension CatalogReader {
  enum SlotField: String, CaseIterable {
    case key, android, ios, args, plural, variants
  }

  enum VariantField: String, CaseIterable {
    case when, android, ios, args
  }

  enum KeyField: String, CaseIterable {
    case key, args
  }

  func readSlot(_ name: TextSlot.Name, _ field: YAMLField, params: [Param]) -> TextSlot? {
    guard let fields = field.fields(SlotField.self) else { return nil }
    if let key = fields[.key] { return readSourceSlot(name, field, key, fields, params) }
    if name == .subtitle { refuseAndroidSubtitle(fields[.android]) }
    let texts = readTexts(fields[.android], fields[.ios], fields[.args], params)
    let plural = fields[.plural].flatMap { readPlural($0, texts, params) }
    let variants = (fields[.variants]?.elements() ?? []).compactMap { variant in
      readVariant(name, variant, base: fields[.plural] == nil ? texts : nil, params: params)
    }
    if fields[.android] == nil, fields[.ios] == nil, fields[.variants] == nil {
      field.report(
        name == .subtitle ? "names no key; add ios" : "names no key; add android, ios or both")
    }
    return TextSlot(name: name, texts: texts, plural: plural, variants: variants, line: field.node.line)
  }

  private func readPlural(_ field: YAMLField, _ texts: TextSlot.Texts, _ params: [Param]) -> TextSlot.Plural?
  {
    guard let param = readNumberParam(field, params) else { return nil }
    let own = AppPlatform.allCases.compactMap { texts[$0] }
    if own.isEmpty { field.report("needs the name of a plural; add android, ios or both to the slot") }
    for text in own where !text.args.contains(where: { $0.hasSameBytes(as: param.name) }) {
      field.report("the args of \(text.key) lack \(param.name); a text could not show the number")
      return nil
    }
    return languages?.partition(for: field).map { TextSlot.Plural(param: param.name, partition: $0) }
  }

  func readNumberParam(_ field: YAMLField, _ params: [Param]) -> Param? {
    guard let name = field.string(), let param = find(name, field, params) else { return nil }
    guard param.type == .integer else {
      field.report("must name an integer param; \(param.name) is \(param.type.expectation)")
      return nil
    }
    return param
  }

  private func refuseAndroidSubtitle(_ field: YAMLField?) {
    field?.report("Android has no subtitle; name only an ios key")
  }

  private func readVariant(
    _ name: TextSlot.Name, _ field: YAMLField, base: TextSlot.Texts?, params: [Param]
  ) -> TextSlot.Variant? {
    guard let fields = field.fields(VariantField.self) else { return nil }
    if name == .subtitle { refuseAndroidSubtitle(fields[.android]) }
    let texts = readTexts(fields[.android], fields[.ios], fields[.args], params)
    if fields[.android] == nil, fields[.ios] == nil { field.report("names no key; add android, ios or both") }
    guard let when = fields.required(.when), let entries = when.entries() else { return nil }
    if entries.isEmpty { when.report("must hold at least one param and its value") }
    let conditions = entries.compactMap { entry -> TextSlot.Condition? in
      guard let param = find(entry.name, entry.key, params) else { return nil }
      guard let value = readValue(entry.value, param.type) else { return nil }
      if let mismatch = param.mismatch(of: value) {
        entry.value.report("can never match: the param \(mismatch.detail)")
      }
      return TextSlot.Condition(param: param.name, value: value)
    }
    return TextSlot.Variant(
      conditions: conditions,
      texts: TextSlot.Texts(android: texts.android ?? base?.android, ios: texts.ios ?? base?.ios),
      line: field.node.line)
  }

  private func readTexts(
    _ android: YAMLField?, _ ios: YAMLField?, _ args: YAMLField?, _ params: [Param]
  ) -> TextSlot.Texts {
    let shared = args.map { readArgs($0, params) } ?? []
    return TextSlot.Texts(
      android: android.flatMap { readText($0, args: shared, params) },
      ios: ios.flatMap { readText($0, args: shared, params) })
  }

  /// Reads a key alone, which takes the slot's args, or a key with its own args.
  private func readText(_ field: YAMLField, args: [String], _ params: [Param]) -> LocText? {
    guard field.node.mapping != nil else {
      return field.nonEmptyString().map { LocText(key: $0, args: args, line: field.node.line) }
    }
    guard let fields = field.fields(KeyField.self) else { return nil }
    let own = fields[.args].map { readArgs($0, params) }
    return fields.required(.key)?.nonEmptyString().map {
      LocText(key: $0, args: own ?? args, line: field.node.line)
    }
  }

  func readArgs(_ field: YAMLField, _ params: [Param]) -> [String] {
    (field.elements() ?? []).compactMap { element in
      guard let name = element.string() else { return nil }
      guard let param = find(name, element, params) else { return nil }
      if param.isOptional {
        element.report("an optional param cannot fill a text; remove optional, or give the param a default")
      }
      return param.name
    }
  }

  func find(_ name: String, _ field: YAMLField, _ params: [Param]) -> Param? {
    if let param = params.first(where: { $0.name.hasSameBytes(as: name) }) { return param }
    if !undefinedParams.contains(ExactText(name)) {
      let known = params.map(\.name) + undefinedParams.map(\.text)
      let nearest = nearestName(to: name, among: known)
      field.report(
        nearest == nil ? "unknown param; declare it in the template's params" : "unknown param",
        suggestion: nearest)
    }
    return nil
  }
}
