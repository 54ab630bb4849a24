internal import FCMMessage
internal import JSON
internal import LocaleRules

/// The texts of a template's slots, compiled.
///
/// Like the steps of a plan, they hold no references, which all event loops would count, but places in a few
/// arrays.
struct SlotTexts: Sendable {
  /// Where a slot's text on one platform comes from.
  struct Choice {
    /// Nil for the slot's own text.
    let variant: Int?
    /// With `plural` the number's class, otherwise 0.
    let numberClass: Int
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

  /// One text, or with `plural` one for each class of numbers.
  private struct Classes: Sendable {
    /// In `texts`.
    let first: Int
    /// The param whose number chooses, and the table of the classes.
    let plural: (param: Int, table: Int)?
  }

  private struct Slot: Sendable {
    let own: Classes
    let variants: Range<Int>
  }

  private struct Variant: Sendable {
    let conditions: Range<Int>
    let classes: Classes
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
    if let variant, texts[variants[variant].classes.first][platform] != nil {
      return Choice(
        variant: variant - slot.variants.lowerBound, numberClass: index(in: variants[variant].classes, values)
      )
    }
    return Choice(variant: nil, numberClass: index(in: slot.own, values))
  }

  private func index(in classes: Classes, _ values: [ParamValue?]) -> Int {
    guard let plural = classes.plural, case .integer(let number)? = values[plural.param] else { return 0 }
    return tables[plural.table][number.magnitude]
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
    let choice = choice(in: slot, of: values, on: platform)
    let slot = slots[slot]
    let classes = choice.variant.map { variants[slot.variants.lowerBound + $0].classes } ?? slot.own
    return texts[classes.first + choice.numberClass][platform]
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
        Variant(
          conditions: own,
          classes: add(variant.texts, variant.plural, of: slot.name, params, isActivity)))
    }
    let own = add(slot.texts, slot.plural, of: slot.name, params, isActivity)
    slots.append(Slot(own: own, variants: firstVariant..<variants.count))
  }

  /// Adds a text, or with `plural` one for each class of numbers.
  private mutating func add(
    _ own: TextSlot.Texts, _ plural: TextSlot.Plural?, of name: TextSlot.Name, _ params: [Param],
    _ isActivity: Bool
  ) -> Classes {
    let first = texts.count
    for text in own.ofClasses(plural) { texts.append(compile(text, of: name, params, isActivity)) }
    guard let plural, let param = params.index(of: plural.param) else {
      return Classes(first: first, plural: nil)
    }
    tables.append(plural.partition.table)
    return Classes(first: first, plural: (param, tables.count - 1))
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

extension TextSlot.Texts {
  /// The texts of each class of numbers; without `plural` these alone.
  fileprivate func ofClasses(_ plural: TextSlot.Plural?) -> [TextSlot.Texts] {
    guard let plural else { return [self] }
    return plural.partition.smallestMembers.indices.map { index in
      TextSlot.Texts(
        android: android.map { plural.text($0, ofClass: index) },
        ios: ios.map { plural.text($0, ofClass: index) })
    }
  }
}
