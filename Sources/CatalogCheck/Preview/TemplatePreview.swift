package import Catalog
internal import FCMMessage
package import JSON

/// A template with certain args: the message, and what every phone shows.
package struct TemplatePreview: Sendable {
  package let previews: [Preview]
  /// Without a target, and with examples of values that are known only on sending: for the phone of the first
  /// preview if the gateway makes its texts, otherwise with loc keys for all phones.
  package let message: JSON
  /// The size as `Catalog.assemble` counts it, without a target.
  package let messageBytes: Int

  /// Previews a template's message; without `args`, with its example args, and with the worst verdict of all
  /// args. `findings` are those of `check` about the template. Throws the errors of the args.
  package init(
    of template: Template, args: JSON.Object?, _ question: PreviewQuestion, texts: RecipientTexts,
    findings: [Finding]
  ) throws(AssemblyError) {
    let request = AssemblyRequest(
      template: template.name, args: args ?? template.exampleArgs,
      activity: template.activity == nil ? nil : .example())
    func samples(_ message: PreparedMessage, _ deviceMessage: AssembledMessage) -> [Previewer.Sample] {
      Previewer(
        texts: texts, message: message, deviceMessage: Self.example(deviceMessage), question: question,
        findings: findings
      ).samples()
    }
    let prepared = try template.prepare(request).get()
    let forDevices = try prepared.message(.deviceTexts).get()
    var shown = samples(prepared, forDevices)
    for other in args == nil ? TemplateSituations(template).messages.dropFirst() : [] {
      guard case .success(let message) = other.message(.deviceTexts) else { continue }
      for (index, sample) in samples(other, message).enumerated() {
        shown[index].preview.verdict = min(shown[index].preview.verdict, sample.preview.verdict)
      }
    }
    for index in shown.indices where shown[index].preview.verdict == .ok {
      shown[index].preview.findings.removeAll(where: \.isForAllWithoutText)
    }
    let first = shown.first
    let isForDevices = first?.preview.renderedBy ?? .device == .device
    let sent = isForDevices ? forDevices : try prepared.message(first?.content ?? .deviceTexts).get()
    message = Self.example(sent)
    messageBytes = sent.byteCount
    previews = shown.map(\.preview)
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
