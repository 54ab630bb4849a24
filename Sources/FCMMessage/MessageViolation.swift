/// One step from the top of a JSON document to a value in it.
package enum PathStep: Sendable, Hashable {
  case key(String)
  case index(Int)
}

/// One thing in a message that FCM, APNs or a web push service would refuse.
package struct MessageViolation: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// The object has no such field.
    case unknownField
    /// The value's JSON type or format is not the field's.
    case wrongType
    /// The type is right, the value is not allowed.
    case invalidValue
    /// Something that must be there is absent.
    case missing
    /// Two things exclude each other.
    case conflict
    /// The payload passes a size limit.
    case tooLarge
    /// FCM takes it, but it has no effect on the device.
    case ineffective
  }

  /// Where it stands, by the keys as they were written: what a JSON pointer is made of.
  package let path: [PathStep]
  /// Where it stands, as FCM names it: proto field names, `message.data[0].value`.
  package let field: String
  /// FCM's wording, for the message's sender alone: it can quote the value.
  package let description: String
  /// What is wrong, in a few words without the place: `must be a string, not a number`.
  package let reason: String
  package let kind: Kind
  /// The known field whose name comes nearest to an unknown one.
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

/// A place in a message, by its two names.
struct MessageLocation: Sendable {
  var path: [PathStep]
  var field: String

  init(path: [PathStep], field: String) {
    self.path = path
    self.field = field
  }

  /// The place at `path`, with the keys taken for proto field names.
  init(_ path: [PathStep]) {
    self.init(path: path, field: "")
    for step in path {
      switch step {
      case .key(let key): field += field.isEmpty ? key : ".\(key)"
      case .index(let index): field += "[\(index)]"
      }
    }
  }

  /// The member `key`, whose proto name is `name`.
  func member(_ key: String, named name: String? = nil) -> MessageLocation {
    let name = name ?? key
    return MessageLocation(path: path + [.key(key)], field: field.isEmpty ? name : "\(field).\(name)")
  }

  func element(_ index: Int) -> MessageLocation {
    MessageLocation(path: path + [.index(index)], field: "\(field)[\(index)]")
  }

  /// The value under `key` of a map, which FCM counts as an entry: `data[0].value`.
  func mapValue(_ key: String, at index: Int) -> MessageLocation {
    MessageLocation(path: path + [.key(key)], field: "\(field)[\(index)].value")
  }
}
