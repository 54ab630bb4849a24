/// The target of a message: exactly one of FCM's four kinds (FCM v1 reference, `Message.target`).
package enum Target: Sendable, Hashable {
  /// The registration token of one app installation.
  case token(String)
  /// A Firebase installation id, FCM's newer identifier of a registration.
  case fid(String)
  /// A topic name, without `/topics/`.
  case topic(String)
  /// A boolean expression over topics, such as `'a' in topics && 'b' in topics`.
  case condition(String)

  /// The field that holds the target in FCM's `Message` and in the API's `to` and `target`.
  package var field: String {
    switch self {
    case .token: "token"
    case .fid: "fid"
    case .topic: "topic"
    case .condition: "condition"
    }
  }

  package var value: String {
    switch self {
    case .token(let value), .fid(let value), .topic(let value), .condition(let value): value
    }
  }

  package init?(field: String, value: String) {
    switch field {
    case "token": self = .token(value)
    case "fid": self = .fid(value)
    case "topic": self = .topic(value)
    case "condition": self = .condition(value)
    default: return nil
    }
  }
}
