package import FCMMessage
internal import JSON
package import LocaleRules

/// A request whose args and settings are valid. What is left is to choose who makes its texts.
package struct PreparedMessage: Sendable {
  package let template: Template
  /// In the order of the template's params; nil for optional ones that are left out.
  let values: [ParamValue?]
  let settings: MessageSettings

  /// The args that a locale writes in its own way: the index of the param, its format and its value.
  package var formattedArgs: [(param: Int, format: ValueFormat, value: ParamValue)] {
    template.params.indices.compactMap { index in
      guard let format = template.params[index].format, let value = values[index] else { return nil }
      return (index, format, value)
    }
  }

  /// What a platform would display: the slots that have a text there, in their order.
  package func slots(on platform: AppPlatform, args: ArgTexts = ArgTexts()) -> [SlotContent] {
    template.slots.indices.compactMap { index in
      let slot = template.slots[index]
      let choice = template.plan.texts.choice(in: index, of: values, on: platform)
      let number = choice.numberClass
      if let index = choice.variant {
        let variant = slot.variants[index]
        return variant.texts[platform].map { text in
          content(slot, variant.plural?.text(text, ofClass: number) ?? text, args, plural: nil)
        }
      }
      return slot.texts[platform].map { text in
        content(
          slot, slot.plural?.text(text, ofClass: number) ?? text, args, plural: plural(of: slot, text))
      }
    }
  }

  private func content(
    _ slot: TextSlot, _ text: LocText, _ args: ArgTexts, plural: SlotContent.Plural?
  ) -> SlotContent {
    let texts = text.args.map { name -> String in
      guard let index = template.params.index(of: name) else { return "" }
      return template.plan.argText(index, of: values, args)
    }
    return SlotContent(name: slot.name, key: text.key, args: texts, plural: plural)
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
      message, to: longestTarget, ttlSeconds: settings.ttlSeconds ?? template.ttlSeconds,
      priority: settings.priority ?? template.priority ?? template.plan.defaultPriority(values))
  }
}

extension AssembledMessage {
  /// The messages of one request to several topics as one; nil without any.
  package init?(byTopic messages: [(topic: String, message: AssembledMessage)]) {
    guard let longest = messages.map(\.message).max(by: { $0.byteCount < $1.byteCount }) else { return nil }
    self.init(
      message: SealedMessage(byTopic: messages.map { ($0.topic, $0.message.message) }),
      ttlSeconds: longest.ttlSeconds, priority: longest.priority, byteCount: longest.byteCount)
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
  package let args: [String]
  /// Nil if the key names a string.
  package let plural: Plural?
}
