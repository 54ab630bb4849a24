internal import Feedback
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
    ]
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
    url = webhook.url
  }

  var webhook: GatewayConfiguration.Webhook? {
    url.map { GatewayConfiguration.Webhook(url: $0, secrets: secrets) }
  }
}
