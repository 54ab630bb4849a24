package import Catalog
package import FCMMessage
package import JSON

/// A template with certain args: the message, and what every phone shows.
package struct TemplatePreview: Sendable {
  package let previews: [Preview]
  /// Without a target, and with examples of values that are known only on sending: for the phone of the first
  /// preview if the gateway makes its texts, otherwise with loc keys for all phones.
  package let message: JSON
  /// The size as `Catalog.assemble` counts it, without a target.
  package let messageBytes: Int

  /// Previews a template's message. `findings` are those of `check` about the template. Throws the errors of
  /// the args.
  package init(
    of template: String, args: JSON.Object, _ question: PreviewQuestion, catalog: Catalog,
    texts: RecipientTexts, findings: [Finding]
  ) throws(AssemblyError) {
    let isActivity = catalog.template(template)?.activity != nil
    let request = AssemblyRequest(
      template: template, args: args, activity: isActivity ? .example() : nil)
    let prepared = try catalog.prepare(request).get()
    let forDevices = try prepared.message(.deviceTexts).get()
    let samples = Previewer(
      texts: texts, message: prepared, deviceMessage: Self.example(forDevices), question: question,
      findings: findings
    ).samples()
    let first = samples.first
    let isForDevices = first?.preview.renderedBy ?? .device == .device
    let shown = isForDevices ? forDevices : try prepared.message(first?.content ?? .deviceTexts).get()
    message = Self.example(shown)
    messageBytes = shown.byteCount
    previews = samples.map(\.preview)
  }

  private static func example(_ assembled: AssembledMessage) -> JSON {
    let bytes = assembled.message.message(
      to: nil, values: .example(ttlSeconds: assembled.ttlSeconds ?? 3600))
    return (try? JSON.parse(bytes)) ?? .null
  }

  /// `{"previews":[…],"message":{…},"message_bytes":n}`.
  package var json: JSON {
    [
      "previews": .array(previews.map(\.json)), "message": message, "message_bytes": JSON(messageBytes),
    ]
  }

  /// The size of a message that FCM accepts.
  package static let messageBytesMax = SealedMessage.byteCountMax
}
