internal import FCMMessage
internal import Plurals

extension MessagePlan {
  /// Where a slot's text on one platform comes from.
  enum Choice {
    case variant(Int)
    /// The slot's own text; with `plural` that of the number's class, otherwise the class is 0.
    case `class`(Int)
  }

  /// The first variant whose conditions hold, if it has a text there, otherwise the slot's own. O(variants).
  func choice(in slot: CompiledSlot, of values: [ParamValue?], on platform: AppPlatform) -> Choice {
    let variant = slot.variants.firstIndex { variant in
      variant.conditions.allSatisfy { values.indices.contains($0.param) && values[$0.param] == $0.value }
    }
    if let variant, slot.variants[variant].texts[platform] != nil { return .variant(variant) }
    guard let plural = slot.plural, case .integer(let number)? = values[plural.param] else {
      return .class(0)
    }
    return .class(plural.table[number.magnitude])
  }

  /// A slot's text for `values`; nil if it has none on the platform.
  func text(
    of slot: CompiledSlot, on platform: AppPlatform, _ values: [ParamValue?]
  ) -> CompiledText? {
    switch choice(in: slot, of: values, on: platform) {
    case .variant(let index): slot.variants[index].texts[platform]
    case .class(let index): slot.base[index][platform]
    }
  }

  /// An arg as texts show it: as a locale writes it if `args` has it, otherwise as given.
  func argText(_ param: Int, of values: [ParamValue?], _ args: ArgTexts) -> String {
    // No optional param fills a text.
    (values[param] ?? .string("")).directedText(as: args[param], isolates: isolates[param])
  }
}
