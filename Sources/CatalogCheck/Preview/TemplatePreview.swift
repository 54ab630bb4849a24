package import Catalog
package import FCMMessage
package import JSON

/// What a template becomes with certain args: the message, and what every phone shows of it.
package struct TemplatePreview: Sendable {
  package let previews: [Preview]
  /// Without a target, and with an example for what is known only when it is sent.
  package let message: JSON
  /// What the size rule counts of it (`Catalog.assemble`), without a target.
  package let messageBytes: Int

  /// Shows a template's message. `locales` are tables' names or BCP 47 tags, nil for all that the resources have;
  /// `findings` are what `check` found about the template. Throws what is wrong with the args.
  package init(
    of template: String, args: JSON.Object, locales: [String]?, platforms: [AppPlatform],
    catalog: Catalog, resources: AppResources, findings: [Finding]
  ) throws(AssemblyError) {
    let assembled = try catalog.assemble(AssemblyRequest(template: template, args: args)).get()
    let bytes = assembled.message.message(
      to: nil, values: .example(ttlSeconds: assembled.ttlSeconds ?? 3600))
    message = (try? JSON.parse(bytes)) ?? .null
    messageBytes = assembled.byteCount
    previews = Previewer(resources).previews(
      of: message, locales: locales, platforms: platforms, findings: findings)
  }

  /// `{"previews":[…],"message":{…},"message_bytes":n}`.
  package var json: JSON {
    [
      "previews": .array(previews.map(\.json)), "message": message, "message_bytes": JSON(messageBytes),
    ]
  }

  /// Bytes that FCM takes.
  package static let messageBytesMax = SealedMessage.byteCountMax
}
