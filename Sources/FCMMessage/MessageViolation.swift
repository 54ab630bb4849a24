/// One step from the top of a JSON document to a value in it.
package enum PathStep: Sendable, Hashable {
  case key(String)
  case index(Int)
}

/// One reason why FCM, APNs or a web push service would reject a message, or ignore a part of it.
package struct MessageViolation: Sendable, Equatable {
  /// The kind of violation.
  package enum Kind: Sendable, Equatable {
    /// The object type has no such field.
    case unknownField
    /// The value does not have the field's JSON type or format.
    case wrongType
    /// The type is right, but the value is not allowed.
    case invalidValue
    /// A required field is absent.
    case missing
    /// Two fields exclude each other.
    case conflict
    /// The payload exceeds a size limit.
    case tooLarge
    /// FCM accepts the field, but it has no effect on the device.
    case ineffective
  }

  /// The maximum number of violations that are collected for one message.
  package static let collectedMax = 100

  /// The location, by the keys as written; a JSON Pointer can be made of it.
  package let path: [PathStep]
  /// The location as FCM names it, with proto field names: `message.data[0].value`.
  package let field: String
  /// FCM's wording. It can quote the value, so it may be shown only to the message's sender.
  package let description: String
  /// What is wrong, without the location: `must be a string, not a number`.
  package let reason: String
  package let kind: Kind
  /// The known field name that is most similar to an unknown one.
  package let suggestion: String?

  package init(
    path: [PathStep], field: String, description: String, reason: String? = nil, kind: Kind,
    suggestion: String? = nil
  ) {
    self.path = path
    self.field = field
    self.description = description
    self.reason = reason ?? description
    self.kind = kind
    self.suggestion = suggestion
  }
}

/// A location in a message, as a path and as FCM names it.
struct MessageLocation: Sendable {
  var path: [PathStep]
  var field: String

  init(path: [PathStep], field: String) {
    self.path = path
    self.field = field
  }

  /// The location at `path`, whose keys are taken as proto field names.
  init(_ path: [PathStep]) {
    self.init(path: path, field: "")
    for step in path {
      switch step {
      case .key(let key): field += field.isEmpty ? key : ".\(key)"
      case .index(let index): field += "[\(index)]"
      }
    }
  }

  /// The location of the member `key`, whose proto name is `name`.
  func member(_ key: String, named name: String? = nil) -> MessageLocation {
    let name = name ?? key
    return MessageLocation(path: path + [.key(key)], field: field.isEmpty ? name : "\(field).\(name)")
  }

  func element(_ index: Int) -> MessageLocation {
    MessageLocation(path: path + [.index(index)], field: "\(field)[\(index)]")
  }

  /// The location of the value of `key` in a map, which FCM names as an entry: `data[0].value`.
  func mapValue(_ key: String, at index: Int) -> MessageLocation {
    MessageLocation(path: path + [.key(key)], field: "\(field)[\(index)].value")
  }
}
