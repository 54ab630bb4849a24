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

extension Target {
  /// Its kind as databases hold it.
  package var kind: Int {
    switch self {
    case .token: 0
    case .fid: 1
    case .topic: 2
    case .condition: 3
    }
  }

  /// Nil for a kind that no version wrote.
  package init?(kind: Int64, value: String) {
    switch kind {
    case 0: self = .token(value)
    case 1: self = .fid(value)
    case 2: self = .topic(value)
    case 3: self = .condition(value)
    default: return nil
    }
  }

  /// Whether it names a device: a topic or a condition is never dead.
  package var isRegistration: Bool {
    switch self {
    case .token, .fid: true
    case .topic, .condition: false
    }
  }
}
