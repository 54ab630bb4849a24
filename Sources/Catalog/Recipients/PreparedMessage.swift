package import FCMMessage
internal import JSON
package import LocaleRules

/// A request whose args and settings are valid. What is left is to choose who makes its texts.
package struct PreparedMessage: Sendable {
  package let template: Template
  /// In the order of the template's params; nil for optional ones that are left out.
  let values: [ParamValue?]
  let settings: MessageSettings

  /// An arg that a locale writes in its own way: the index of its param, its format and its value.
  package typealias FormattedArg = (param: Int, format: ValueFormat, value: ParamValue)

  package var formattedArgs: [FormattedArg] {
    template.params.indices.compactMap { index in
      guard let format = template.params[index].format, let value = values[index] else { return nil }
      return (index, format, value)
    }
  }

  /// What a platform would display: the slots that have a text there, in their order, with all args as given.
  package func slots(on platform: AppPlatform) -> [SlotContent] {
    template.slots.indices.compactMap { index in
      let slot = template.slots[index]
      let choice = template.plan.texts.choice(in: index, of: values, on: platform)
      let number = choice.numberClass
      if let index = choice.variant {
        let variant = slot.variants[index]
        return variant.texts[platform].map { text in
          content(slot, variant.plural?.text(text, ofClass: number) ?? text, plural: nil)
        }
      }
      return slot.texts[platform].map { text in
        content(slot, slot.plural?.text(text, ofClass: number) ?? text, plural: plural(of: slot, text))
      }
    }
  }

  private func content(_ slot: TextSlot, _ text: LocText, plural: SlotContent.Plural?) -> SlotContent {
    let params = text.args.map { template.params.index(of: $0) }
    let args = params.map { $0.map { template.plan.argText($0, of: values, ArgTexts()) } ?? "" }
    return SlotContent(name: slot.name, key: text.key, params: params, args: args, plural: plural)
  }

  /// Slots with the args that a locale writes in its own way.
  package func slots(_ slots: [SlotContent], with args: ArgTexts) -> [SlotContent] {
    if args.isEmpty { return slots }
    return slots.map { slot in
      var slot = slot
      for (index, param) in slot.params.enumerated() {
        guard let param, args[param] != nil else { continue }
        slot.args[index] = template.plan.argText(param, of: values, args)
      }
      return slot
    }
  }

  private func plural(of slot: TextSlot, _ text: LocText) -> SlotContent.Plural? {
    guard slot.source == nil, let plural = slot.plural,
      let param = template.params.index(of: plural.param),
      case .integer(let number)? = values[param]
    else { return nil }
    return SlotContent.Plural(text: text, choice: plural, number: number.magnitude)
  }

  /// Whether the template itself has a text for browsers, which nothing replaces.
  package func hasOwnWebText(_ name: TextSlot.Name) -> Bool {
    template.plan.ownWebTexts.contains(name)
  }

  /// Assembles the message; see `Catalog.assemble`.
  package func message(
    _ content: MessageContent, longestTarget: Target? = nil
  ) -> Result<AssembledMessage, AssemblyError> {
    let message = template.plan.message(values: values, settings: settings, content: content)
    return AssembledMessage.checked(
      message, to: longestTarget, ttlSeconds: ttlSeconds, priority: priority)
  }

  var ttlSeconds: Int? { settings.ttlSeconds ?? template.ttlSeconds }

  var priority: MessagePriority {
    settings.priority ?? template.priority ?? template.plan.defaultPriority(values)
  }
}

/// What one slot displays on one platform for a request: a key, and the args as the message has them.
package struct SlotContent: Sendable, Equatable {
  /// The app's own plural that the slot names.
  package struct Plural: Sendable, Equatable {
    /// The plural's name, with the params that fill it.
    package let text: LocText
    package let choice: TextSlot.Plural
    package let number: UInt64
  }

  package let name: TextSlot.Name
  /// The key that a phone looks up.
  package let key: String
  /// The indices of the params that are the args; nil for one that the template does not have.
  fileprivate let params: [Int?]
  package fileprivate(set) var args: [String]
  /// Nil if the key names a string.
  package let plural: Plural?
}
