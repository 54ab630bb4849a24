internal import FCMMessage
internal import JSON
internal import LocaleRules

/// The texts of a template's slots, compiled.
///
/// Like the steps of a plan, they hold no references, which all event loops would count, but places in a few
/// arrays.
struct SlotTexts: Sendable {
  /// Where a slot's text on one platform comes from.
  enum Choice {
    case variant(Int)
    /// The slot's own text; with `plural` that of the number's class, otherwise the class is 0.
    case `class`(Int)
  }

  /// A text on one platform: `"title_loc_key":"K","title_loc_args":[` and the params in it.
  struct Text: Sendable {
    /// In `bytes`.
    let head: Range<Int>
    /// In `params`; if empty, `head` is the whole text.
    let params: Range<Int>
    /// What follows the params, in `bytes`.
    let tail: Range<Int>
  }

  private struct Texts: Sendable {
    let android: Text?
    let ios: Text?

    subscript(platform: AppPlatform) -> Text? { platform == .android ? android : ios }
  }

  private struct Slot: Sendable {
    /// The slot's own texts: one, or with `plural` one for each class of numbers.
    let base: Range<Int>
    /// The param whose number chooses among `base`, and the table of the classes.
    let plural: (param: Int, table: Int)?
    let variants: Range<Int>
  }

  private struct Variant: Sendable {
    let conditions: Range<Int>
    let texts: Texts
  }

  private var slots: [Slot] = []
  private var variants: [Variant] = []
  private var conditions: [(param: Int, value: ParamValue)] = []
  private var texts: [Texts] = []
  private var tables: [PluralTable] = []
  /// Indices into the template's params.
  private(set) var params: [Int] = []
  private(set) var bytes: [UInt8] = []

  /// The number of slots.
  var count: Int { slots.count }

  /// The first variant of a slot whose conditions hold, if it has a text there, otherwise the slot's own.
  /// O(variants).
  func choice(in slot: Int, of values: [ParamValue?], on platform: AppPlatform) -> Choice {
    let slot = slots[slot]
    let variant = slot.variants.first { holds(variants[$0].conditions, values) }
    if let variant, variants[variant].texts[platform] != nil {
      return .variant(variant - slot.variants.lowerBound)
    }
    guard let plural = slot.plural, case .integer(let number)? = values[plural.param] else {
      return .class(0)
    }
    return .class(tables[plural.table][number.magnitude])
  }

  private func holds(_ range: Range<Int>, _ values: [ParamValue?]) -> Bool {
    for index in range {
      let param = conditions[index].param
      guard values.indices.contains(param), values[param] == conditions[index].value else { return false }
    }
    return true
  }

  /// A slot's text for `values`; nil if it has none on the platform.
  func text(of slot: Int, on platform: AppPlatform, _ values: [ParamValue?]) -> Text? {
    switch choice(in: slot, of: values, on: platform) {
    case .variant(let index): variants[slots[slot].variants.lowerBound + index].texts[platform]
    case .class(let index): texts[slots[slot].base.lowerBound + index][platform]
    }
  }
}

// MARK: - Compilation

extension SlotTexts {
  init(_ slots: [TextSlot], params: [Param], isActivity: Bool) {
    for slot in slots { add(slot, params, isActivity) }
  }

  private mutating func add(_ slot: TextSlot, _ params: [Param], _ isActivity: Bool) {
    let firstVariant = variants.count
    for variant in slot.variants {
      let first = conditions.count
      conditions += variant.conditions.compactMap { condition in
        params.index(of: condition.param).map { (param: $0, value: condition.value) }
      }
      let own = first..<conditions.count
      variants.append(
        Variant(conditions: own, texts: compile(variant.texts, of: slot.name, params, isActivity)))
    }
    let firstText = texts.count
    for own in slot.classTexts { texts.append(compile(own, of: slot.name, params, isActivity)) }
    var plural: (param: Int, table: Int)?
    if let own = slot.plural, let param = params.index(of: own.param) {
      plural = (param, tables.count)
      tables.append(own.partition.table)
    }
    slots.append(
      Slot(base: firstText..<texts.count, plural: plural, variants: firstVariant..<variants.count))
  }

  private mutating func compile(
    _ texts: TextSlot.Texts, of name: TextSlot.Name, _ params: [Param], _ isActivity: Bool
  ) -> Texts {
    let android = texts.android.map { text in
      keep(text, keyName: "\(name.rawValue)_loc_key", argsName: "\(name.rawValue)_loc_args", params)
    }
    let ios = texts.ios.map { text in
      isActivity
        ? keep(ofActivity: text, slot: name, params)
        : keep(text, keyName: name.apnsKey, argsName: name.apnsArgs, params)
    }
    return Texts(android: android, ios: ios)
  }

  private mutating func keep(
    _ text: LocText, keyName: String, argsName: String, _ params: [Param]
  ) -> Text {
    var head: [UInt8] = []
    head.appendJSONString(keyName)
    head.append(UInt8(ascii: ":"))
    head.appendJSONString(text.key)
    if !text.args.isEmpty {
      head.append(UInt8(ascii: ","))
      head.appendJSONString(argsName)
      head += [UInt8(ascii: ":"), UInt8(ascii: "[")]
    }
    return keep(head, text.args.compactMap(params.index(of:)), tail: [UInt8(ascii: "]")])
  }

  /// A text of a Live Activity is an object in its slot's key.
  private mutating func keep(ofActivity text: LocText, slot: TextSlot.Name, _ params: [Param]) -> Text {
    var head: [UInt8] = []
    head.appendJSONString(slot.rawValue)
    head += Array(#":{"loc-key":"#.utf8)
    head.appendJSONString(text.key)
    if text.args.isEmpty { head.append(UInt8(ascii: "}")) } else { head += Array(#","loc-args":["#.utf8) }
    return keep(head, text.args.compactMap(params.index(of:)), tail: Array("]}".utf8))
  }

  private mutating func keep(_ head: [UInt8], _ args: [Int], tail: [UInt8]) -> Text {
    let (start, firstParam) = (bytes.count, params.count)
    bytes += head + tail
    params += args
    let middle = start + head.count
    return Text(head: start..<middle, params: firstParam..<params.count, tail: middle..<bytes.count)
  }
}

extension TextSlot {
  /// The slot's own texts, or with `plural` those of each class of numbers.
  fileprivate var classTexts: [Texts] {
    guard let plural else { return [texts] }
    return plural.partition.smallestMembers.indices.map { index in
      Texts(
        android: texts.android.map { plural.text($0, ofClass: index) },
        ios: texts.ios.map { plural.text($0, ofClass: index) })
    }
  }
}
