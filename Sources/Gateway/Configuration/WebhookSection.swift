internal import DeliveryReports
internal import Feedback
internal import Foundation
internal import JSON
internal import YAML

/// `feedback` of the configuration file.
struct FeedbackSection: ConfigurationSection {
  var webhook: WebhookSection?

  static var fields: [ConfigurationField<Self>] {
    [.section("webhook", \.webhook, draft: WebhookSection(), style: .flow)]
  }
}

/// `feedback.webhook` of the configuration file: what a `Webhook` is made of.
struct WebhookSection: ConfigurationSection {
  private var urlText = ""
  private var secrets: [WebhookSecret] = []
  private var allowsPrivateAddresses = false
  private var events = WebhookEventType.standard
  private var url: WebhookURL?

  static var fields: [ConfigurationField<Self>] {
    [
      .value(
        "url", \.urlText, isRequired: true, read: { field, _ in field.nonEmptyString() },
        print: { ConfigurationText.quoted(ConfigurationText.withoutQuery($0)) }),
      .secret(
        "secret", \.secrets,
        read: { text, field, _ in
          do throws(WebhookSecretError) {
            return try WebhookSecret.list(text)
          } catch {
            field.report(error.description)
            return nil
          }
        }),
      .bool("allow_private_addresses", \.allowsPrivateAddresses),
      .value(
        "events", \.events, read: { field, _ in readEvents(field) },
        print: { events in
          "[\(WebhookEventType.allCases.filter(events.contains).map(\.rawValue).joined(separator: ", "))]"
        }),
    ]
  }

  private static func readEvents(_ field: YAMLField) -> Set<WebhookEventType>? {
    guard let names = field.names() else { return nil }
    guard !names.isEmpty else {
      field.report("must name at least one event; without a webhook, remove feedback.webhook")
      return nil
    }
    let known = WebhookEventType.allCases.map(\.rawValue)
    return Set(
      names.compactMap { name in
        if let type = WebhookEventType.allCases.first(where: { $0.rawValue.hasSameBytes(as: name.text) }) {
          return type
        }
        name.field.report(
          "\"\(name.text)\" is no event; write some of \(known.joined(separator: ", "))",
          suggestion: nearestName(to: name.text, among: known))
        return nil
      })
  }

  mutating func validate(_ mapping: ConfigurationMapping) {
    guard let field = mapping["url"], !urlText.isEmpty else { return }
    do {
      url = try WebhookURL(urlText, allowsPrivateAddresses: allowsPrivateAddresses)
    } catch {
      field.report(error.description)
    }
  }

  init() {}

  init(_ webhook: GatewayConfiguration.Webhook) {
    urlText = webhook.url.text
    secrets = webhook.secrets
    allowsPrivateAddresses = webhook.url.allowsPrivateAddresses
    events = webhook.events
    url = webhook.url
  }

  var webhook: GatewayConfiguration.Webhook? {
    url.map { GatewayConfiguration.Webhook(url: $0, secrets: secrets, events: events) }
  }
}
