import Catalog
import FCMMessage
import JSON
import YAML

/// An example catalog, and functions that parse catalogs and assemble messages.
enum Fixture {
  static let newMessage = """
    version: 1
    defaults:
      ttl: 24h
      priority: high
      android: {notification: {channel_id: general}}
      apns: {payload: {aps: {sound: default}}}
    templates:
      new_message:
        description: Somebody wrote to the user.
        params:
          count: {type: integer}
          sender: {type: string, max_length: 64}
        title: {android: welcome_title, ios: WELCOME_TITLE, args: [sender]}
        body: {android: new_message_body, ios: NEW_MESSAGE_BODY, args: [count, sender]}
        fallback: {title: Welcome!, body: You have new messages.}
        android: {notification: {icon: ic_chat}}
        apns: {payload: {aps: {thread-id: chat}}}
    """

  static let placeholderValues = SealedMessage.PlaceholderValues(
    deliveryID: "01990000-0000-7000-8000-000000000000", ttlSeconds: 86_400, expiration: 1_800_000_000)

  static func catalog(_ text: String) throws -> Catalog {
    try Catalog.parse(Array(text.utf8), file: "catalog.yaml")
  }

  /// A catalog with one template `t`, whose fields are given in flow style.
  static func catalog(template: String, defaults: String = "{}") throws -> Catalog {
    try catalog("{version: 1, defaults: \(defaults), templates: {t: \(template)}}")
  }

  static func problems(_ text: String) -> [String] {
    do {
      _ = try catalog(text)
      return []
    } catch let error as CatalogError {
      return error.problems.map(\.description)
    } catch {
      return ["\(error)"]
    }
  }

  static func problems(template: String, defaults: String = "{}") -> [String] {
    problems("version: 1\ndefaults: \(defaults)\ntemplates:\n  t: \(template)\n")
  }

  static func message(
    _ catalog: Catalog, _ request: AssemblyRequest, to target: Target? = nil
  ) throws -> JSON {
    try JSON.parse(catalog.assemble(request).get().message.message(to: target, values: placeholderValues))
  }

  /// The message of the template `t` without args.
  static func message(
    template: String, defaults: String = "{}", args: JSON = [:],
    _ change: (inout AssemblyRequest) -> Void = { _ in }
  ) throws -> JSON {
    var request = AssemblyRequest(template: "t", args: args.object ?? .init())
    change(&request)
    return try message(catalog(template: template, defaults: defaults), request)
  }

  static func inputErrors(
    template: String, args: JSON = [:], _ change: (inout AssemblyRequest) -> Void = { _ in }
  ) throws -> [String] {
    var request = AssemblyRequest(template: "t", args: args.object ?? .init())
    change(&request)
    guard case .failure(let error) = try catalog(template: template).assemble(request) else { return [] }
    return error.inputErrors.map { "\($0.pointer) \($0.code.rawValue): \($0.detail)" }
  }
}
