package import JSON

/// What the schema and the rules ask about a value of a valid message, beyond whether it is a number, an
/// empty string or another string.
package enum MessageValueRole: Sendable, Equatable {
  /// Anything: with another value, it is another message.
  case exact
  /// Nothing.
  case free
  /// Whether it is a target of this field.
  case target(field: String)
  case url(schemes: [String])
  case collapseID
  case activityToken
  /// Whether it is a whole number that is not negative.
  case count
  /// Whether it is a UNIX time.
  case time
  /// When it is, since the message expires then.
  case expiration
}

/// The roles of all values of a valid request, in the order of the document.
package struct MessageValueRoles: Sendable {
  /// An object of a request, or a value in one.
  private enum Place {
    case object(MessageSchema.ObjectType)
    case apnsHeaders, payload, aps, alert
    /// A text of an alert: a string, or in a Live Activity an object with `loc-key` and `loc-args`.
    case alertText
    /// All values in it have the same role.
    case values(MessageValueRole)
  }

  package private(set) var roles: [MessageValueRole] = []
  /// The indices of the values on which everything depends.
  package var exact: [Int] { roles.indices.filter { roles[$0] == .exact } }
  /// The message, with a gap in place of each value that its pattern leaves open.
  private(set) var message = JSON.Object()

  /// `body` is a `SendMessageRequest` that the schema and the rules allow.
  package init(_ body: JSON) {
    message = open(body, in: .object(.sendMessageRequest))["message"]?.object ?? .init()
  }

  private mutating func open(_ value: JSON, in place: Place) -> JSON {
    switch value {
    case .null, .bool: return value
    case .array(let elements):
      var opened: [JSON] = []
      for element in elements { opened.append(open(element, in: place)) }
      return .array(opened)
    case .object(let object):
      var opened = JSON.Object()
      for member in object {
        opened.members.append((member.key, open(member.value, in: Self.place(of: member.key, in: place))))
      }
      return .object(opened)
    case .string(let text) where text.isEmpty: return value
    case .string, .number:
      let role = Self.role(ofValueIn: place)
      roles.append(role)
      return role.isOpen ? .gap : value
    }
  }

  private static func role(ofValueIn place: Place) -> MessageValueRole {
    switch place {
    case .values(let role): role
    case .alert, .alertText: .free
    case .object, .apnsHeaders, .payload, .aps: .exact
    }
  }

  private static func place(of key: String, in place: Place) -> Place {
    switch place {
    case .values: return place
    case .object(let type):
      guard let field = MessageSchema.field(key, of: type) else { return .values(.exact) }
      if case .object(let inner) = field.type { return .object(inner) }
      return self.place(of: field.name, type)
    case .apnsHeaders:
      switch key.lowercased() {
      case "apns-collapse-id": return .values(.collapseID)
      case "apns-expiration": return .values(.expiration)
      default: return .values(.exact)
      }
    case .payload: return key == "aps" ? .aps : .values(.free)
    case .aps:
      switch key {
      case "alert": return .alert
      case "badge": return .values(.count)
      case "timestamp", "stale-date", "dismissal-date": return .values(.time)
      case "thread-id", "target-content-id", "content-state", "attributes": return .values(.free)
      default: return .values(.exact)
      }
    case .alert:
      switch key {
      case "title", "subtitle", "body": return .alertText
      case "title-loc-args", "subtitle-loc-args", "loc-args": return .values(.free)
      default: return .values(.exact)
      }
    case .alertText: return .values(key == "loc-args" ? .free : .exact)
    }
  }

  /// The place of a field that is no object with a type.
  private static func place(of field: String, _ type: MessageSchema.ObjectType) -> Place {
    switch (field, type) {
    case ("token", _), ("fid", _), ("topic", _), ("condition", _): .values(.target(field: field))
    case ("data", _), ("name", _), ("collapse_key", _): .values(.free)
    case ("title", _), ("body", _), ("title_loc_args", _), ("body_loc_args", _): .values(.free)
    case ("tag", _), ("ticker", _): .values(.free)
    case ("image", _): .values(.url(schemes: MessageRules.imageSchemes(of: type)))
    case ("link", _): .values(.url(schemes: MessageRules.linkSchemes))
    case ("notification_count", _): .values(.count)
    case ("live_activity_token", _): .values(.activityToken)
    case ("headers", .apnsConfig): .apnsHeaders
    case ("payload", .apnsConfig): .payload
    case ("notification", .webpushConfig): .values(.free)
    default: .values(.exact)
    }
  }
}

extension MessageValueRole {
  /// Whether messages of one pattern may differ in it.
  var isOpen: Bool {
    switch self {
    case .exact, .target: false
    case .free, .url, .collapseID, .activityToken, .count, .time, .expiration: true
    }
  }

  /// Whether the rules allow this text. Targets and expirations are read anyway.
  func allows(_ text: String) -> Bool {
    switch self {
    case .exact, .free, .target, .expiration: true
    case .url(let schemes): MessageRules.urlProblem(text, schemes: schemes) == nil
    case .collapseID: MessageRules.collapseIDProblem(text) == nil
    case .activityToken: MessageRules.activityTokenProblem(text) == nil
    case .count: decimal(text.utf8, digitsMax: 9) != nil
    case .time: decimal(text.utf8, digitsMax: 11) != nil
    }
  }
}
