package import Catalog
package import FCMMessage
package import JSON

/// A template with certain args: the message, and what every phone shows.
package struct TemplatePreview: Sendable {
  package let previews: [Preview]
  /// Without a target, and with examples of values that are known only on sending.
  package let message: JSON
  /// The size as `Catalog.assemble` counts it, without a target.
  package let messageBytes: Int

  /// Previews a template's message. `locales` are names of tables or BCP 47 tags, nil for all that the
  /// resources have; `findings` are those of `check` about the template. Throws the errors of the args.
  package init(
    of template: String, args: JSON.Object, locales: [String]?, platforms: [AppPlatform],
    catalog: Catalog, resources: AppResources, findings: [Finding]
  ) throws(AssemblyError) {
    let isActivity = catalog.template(template)?.activity != nil
    let request = AssemblyRequest(
      template: template, args: args, activity: isActivity ? .example() : nil)
    let assembled = try catalog.assemble(request).get()
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

  /// The size of a message that FCM accepts.
  package static let messageBytesMax = SealedMessage.byteCountMax
}
