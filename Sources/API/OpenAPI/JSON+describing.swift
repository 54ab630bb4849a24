internal import Catalog
internal import Clock
internal import JSON
internal import Outbox

/// The description of one gateway: the general one with the apps and templates that a caller may use, so that
/// this gateway accepts what matches the schema.
extension JSON {
  func describing(_ catalog: VisibleCatalog, now: Timestamp) -> JSON {
    let apps = JSON.array(catalog.apps.map { .string($0.name) })
    let names = catalog.templates
    let exampleApp = JSON.string(catalog.defaultApp ?? catalog.apps.first?.name ?? "")
    var document = self
    func change(_ path: String..., by change: (inout JSON.Object) -> Void) {
      document = document.changing(path[...], change)
    }
    for name in ["app", "filterApp"] {
      change("components", "parameters", name) { parameter in
        parameter["schema"] = ["type": "string", "enum": apps]
        parameter["example"] = exampleApp
        if name == "app", catalog.defaultApp == nil { parameter["required"] = true }
      }
    }
    change("components", "parameters", "template") { parameter in
      parameter["schema"] = ["type": "string", "enum": .array(names.map(JSON.string))]
      let example = parameter["example"]?.string
      if !names.contains(where: { example?.hasSameBytes(as: $0) == true }) {
        parameter["example"] = names.first.map(JSON.string)
      }
    }
    change("components", "schemas", "App") { $0["enum"] = apps }
    change("components", "schemas", "SendAt") { $0["pattern"] = .string(Self.daysAhead(now)) }
    change("components", "schemas", "NotificationRequest") { $0["allOf"] = [["oneOf": catalog.choices]] }
    change("components", "schemas", "PreviewRequest") { $0 = $0.previewing(catalog) }
    change("paths", "/v1/notifications", "post") { $0.keepExamples { $0.isAccepted(by: catalog) } }
    change("paths", "/v1/notifications/batch", "post") { operation in
      operation.keepExamples {
        $0["notifications"]?.array?.allSatisfy { $0.isAccepted(by: catalog) } ?? false
      }
    }
    let shown = document["components"]?["parameters"]?["template"]?["example"] ?? .null
    change("paths", "/v1/templates/{template}/preview", "post") { operation in
      operation.keepExamples { $0.isAccepted(by: catalog, template: shown) }
    }
    return document
  }

  /// The whole days that `send_at` can be on, now and until a day has passed.
  private static func daysAhead(_ now: Timestamp) -> String {
    let days = (2...28).map { String(now.adding(milliseconds: $0 * 86_400_000).rfc3339.prefix(10)) }
    return "^(?:\(days.joined(separator: "|")))T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$"
  }

  private func changing(_ path: ArraySlice<String>, _ change: (inout JSON.Object) -> Void) -> JSON {
    guard var object else { return self }
    if let key = path.first {
      object[key] = object[key]?.changing(path.dropFirst(), change)
    } else {
      change(&object)
    }
    return .object(object)
  }

  /// Whether a message can be assembled for the notification, or for the preview of `template`.
  fileprivate func isAccepted(by catalog: VisibleCatalog, template: JSON? = nil) -> Bool {
    guard let app = catalog.app(named: self["app"]?.string),
      let name = (template ?? self["template"])?.string,
      app.templates.contains(where: { $0.name.hasSameBytes(as: name) })
    else { return false }
    // An example for an ordinary message has no Live Activity.
    if template == nil, app.catalog.template(name)?.activity != nil, self["live_activity"] == nil {
      return false
    }
    let request = AssemblyRequest(template: name, args: self["args"]?.object ?? .init())
    guard case .success = app.catalog.assemble(request) else { return false }
    return true
  }
}

extension VisibleCatalog {
  /// Where a template leaves the texts to the gateway, a request must name the language, a topic that has
  /// languages, or say otherwise.
  private static func textsNeedALocale(_ catalog: Catalog) -> JSON {
    var choices: [JSON] = [
      ["required": ["render"], "properties": ["render": ["enum": ["device", "auto"]]]],
      ["required": ["recipient"], "properties": ["recipient": ["required": ["locale"]]]],
    ]
    if !catalog.topics.isEmpty {
      let names = JSON.array(catalog.topics.map { .string($0.name) })
      choices.append([
        "properties": ["to": ["required": ["topic"], "properties": ["topic": ["enum": names]]]]
      ])
    }
    return .array(choices)
  }

  /// One choice for each template of each app, with the args of that template.
  fileprivate var choices: JSON {
    .array(
      apps.flatMap { app in
        app.templates.map { template in
          var name = JSON.Object([("const", .string(template.name))])
          if let description = template.description { name["description"] = .string(description) }
          var required: [JSON] = []
          if template.params.contains(where: \.isRequired) { required.append("args") }
          if defaultApp?.hasSameBytes(as: app.name) != true { required.append("app") }
          var properties = JSON.Object([
            ("template", .object(name)), ("app", ["const": .string(app.name)]), ("args", template.argsSchema),
          ])
          if template.activity == nil {
            properties["live_activity"] = false
          } else {
            required.append("live_activity")
            properties["collapse_key"] = false
            properties["to"] = ["$ref": "#/components/schemas/OneRegistration"]
            properties["recipient"] = ["properties": ["platform": ["const": "ios"]]]
            if !template.mayStartActivity {
              properties["live_activity"] = ["properties": ["event": ["enum": ["update", "end"]]]]
            }
          }
          var choice = JSON.Object([
            ("title", .string(template.name)), ("properties", .object(properties)),
          ])
          if !required.isEmpty { choice["required"] = .array(required) }
          if template.render == .gateway { choice["anyOf"] = Self.textsNeedALocale(app.catalog) }
          return .object(choice)
        }
      })
  }
}

extension JSON.Object {
  /// Accepts the args of every template: the path decides which of them apply, which a schema of the body
  /// cannot express.
  fileprivate func previewing(_ catalog: VisibleCatalog) -> JSON.Object {
    let templates = catalog.apps.flatMap(\.templates)
    var schema = self
    var properties = schema["properties"]?.object ?? .init()
    properties["args"] = [
      "description": "The args of the path's template.", "anyOf": .array(templates.map(\.argsSchema)),
    ]
    let topics = Set(catalog.apps.flatMap(\.catalog.topics).map(\.name)).sorted()
    if var topic = properties["topic"]?.object, !topics.isEmpty {
      topic["enum"] = .array(topics.map(JSON.string))
      properties["topic"] = .object(topic)
    } else {
      properties["topic"] = nil
    }
    schema["properties"] = .object(properties)
    if catalog.defaultApp == nil { schema["required"] = ["app"] }
    return schema
  }

  /// Removes examples of the operation's body that this gateway would reject.
  fileprivate mutating func keepExamples(_ isAccepted: (JSON) -> Bool) {
    guard var body = self["requestBody"]?.object, var content = body["content"]?.object,
      var media = content["application/json"]?.object
    else { return }
    let examples = (media["examples"]?.object ?? .init()).filter { isAccepted($0.value["value"] ?? .null) }
    media["examples"] = examples.isEmpty ? nil : .object(.init(examples))
    content["application/json"] = .object(media)
    body["content"] = .object(content)
    self["requestBody"] = .object(body)
  }
}
