internal import FCMMessage
internal import Plurals

extension MessagePlan {
  /// A slot's text for `values`: that of the first variant whose conditions hold, otherwise the slot's own.
  /// O(variants).
  func text(
    of slot: CompiledSlot, on platform: AppPlatform, _ values: [ParamValue?]
  ) -> CompiledText? {
    let variant = slot.variants.first { variant in
      variant.conditions.allSatisfy { values.indices.contains($0.param) && values[$0.param] == $0.value }
    }
    if let text = variant?.texts[platform] { return text }
    return slot.base[classIndex(in: slot, values)][platform]
  }

  /// The index of the number's class; 0 if the slot has no plural.
  private func classIndex(in slot: CompiledSlot, _ values: [ParamValue?]) -> Int {
    guard let plural = slot.plural, case .integer(let number)? = values[plural.param] else { return 0 }
    return plural.table[number.magnitude]
  }
}
