package import Catalog
internal import Clock
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
  /// The message of each topic, if the question is about a topic by language.
  package let topicMessages: [TopicMessage]

  /// A message to the topic of a language.
  package struct TopicMessage: Sendable {
    let language: String
    let topic: String
    /// Why a send to the topic would be rejected, or the message with its target.
    let message: Result<AssembledMessage, NotRenderableError>
  }

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
    topicMessages = try question.topic?.messages(of: prepared, question, texts) ?? []
    let first = shown.first
    let isForDevices = first?.preview.renderedBy ?? .device == .device
    let sent: AssembledMessage
    if case .success(let message)? = topicMessages.first?.message {
      sent = message
    } else {
      sent = isForDevices ? forDevices : try prepared.message(first?.content ?? .deviceTexts).get()
    }
    message = Self.example(sent)
    messageBytes = sent.byteCount
    previews = shown.map(\.preview)
  }

  fileprivate static func example(_ assembled: AssembledMessage, to target: Target? = nil) -> JSON {
    let bytes = assembled.message.message(
      to: target, values: .example(ttlSeconds: assembled.ttlSeconds ?? 3600))
    return (try? JSON.parse(bytes)) ?? .null
  }

  /// `{"previews":[…],"message":{…},"message_bytes":n}`, and `messages` for a topic by language.
  package var json: JSON {
    var object = JSON.Object([
      ("previews", .array(previews.map(\.json))), ("message", message), ("message_bytes", JSON(messageBytes)),
    ])
    if !topicMessages.isEmpty { object.members.append(("messages", .array(topicMessages.map(\.json)))) }
    return .object(object)
  }

  /// The size of a message that FCM accepts.
  package static let messageBytesMax = SealedMessage.byteCountMax
}

extension TemplatePreview.TopicMessage {
  /// `{"topic","locale","message","message_bytes"}`, or with `error` if there is no text and no fallback.
  fileprivate var json: JSON {
    var object = JSON.Object([("topic", .string(topic)), ("locale", .string(language))])
    switch message {
    case .success(let assembled):
      object.members += [
        ("message", TemplatePreview.example(assembled, to: .topic(topic))),
        ("message_bytes", JSON(assembled.byteCount)),
      ]
    case .failure(let error):
      object.members.append(("error", .string(error.slots.map(\.reason).joined(separator: " "))))
    }
    return .object(object)
  }
}

extension LanguageTopic {
  /// The message in each language. Throws if one is too large.
  fileprivate func messages(
    of message: PreparedMessage, _ question: PreviewQuestion, _ texts: RecipientTexts
  ) throws(AssemblyError) -> [TemplatePreview.TopicMessage] {
    let (recipient, now) = (Recipient(timeZone: question.timeZone), Timestamp.now)
    var messages: [TemplatePreview.TopicMessage] = []
    for language in languages {
      let made = Result { () throws(NotRenderableError) in
        try texts.message(of: message, for: self, in: language, recipient, now: now)
      }
      let sealed: Result<AssembledMessage, NotRenderableError>
      switch made {
      case .success(let assembled): sealed = .success(try assembled.get())
      case .failure(let error): sealed = .failure(error)
      }
      messages.append(.init(language: language, topic: topic(of: language), message: sealed))
    }
    return messages
  }
}
