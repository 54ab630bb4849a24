extension GatewayConfiguration {
  /// The path of every field that a configuration may hold, as docs/configuration.md names them: `NAME` stands for an
  /// app's name, `clients[]` for one client of the list.
  package static var fieldPaths: [String] {
    typealias Reader = ConfigurationReader
    let parts = [
      paths(Reader.Section.self, under: ""), paths(Reader.ServerField.self, under: "server."),
      paths(Reader.TLSField.self, under: "server.tls."), paths(Reader.AuthField.self, under: "auth."),
      paths(Reader.ClientField.self, under: "auth.clients[]."),
      paths(Reader.AppField.self, under: "apps.NAME."), paths(Reader.QueueField.self, under: "queue."),
      paths(Reader.DeliveryField.self, under: "delivery."),
      paths(Reader.FeedbackField.self, under: "feedback."),
      paths(Reader.WebhookField.self, under: "feedback.webhook."), paths(Reader.LogField.self, under: "log."),
    ]
    let all = parts.flatMap { $0 }
    // What holds further fields is no field of its own.
    return all.filter { path in !all.contains { $0.hasPrefix(path + ".") || $0.hasPrefix(path + "[].") } }
  }

  private static func paths<Field: CaseIterable & RawRepresentable<String>>(
    _ fields: Field.Type, under prefix: String
  ) -> [String] {
    fields.allCases.map { prefix + $0.rawValue }
  }
}
