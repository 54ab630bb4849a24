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

/// A location in a message, as a path and as FCM names it. Both are made only when a violation needs them.
struct MessageLocation: Sendable {
  private indirect enum Place: Sendable {
    case known(path: [PathStep], field: String)
    case member(of: Place, key: String, name: String)
    case element(of: Place, index: Int)
    case mapValue(of: Place, key: String, index: Int)
  }

  private let place: Place

  private init(_ place: Place) { self.place = place }

  init(path: [PathStep], field: String) { self.init(.known(path: path, field: field)) }

  /// The location at `path`, whose keys are taken as proto field names.
  init(_ path: [PathStep]) {
    var field = ""
    for step in path {
      switch step {
      case .key(let key): field += field.isEmpty ? key : ".\(key)"
      case .index(let index): field += "[\(index)]"
      }
    }
    self.init(path: path, field: field)
  }

  var path: [PathStep] { Self.path(of: place) }
  var field: String { Self.field(of: place) }

  /// The location of the member `key`, whose proto name is `name`.
  func member(_ key: String, named name: String? = nil) -> MessageLocation {
    MessageLocation(.member(of: place, key: key, name: name ?? key))
  }

  func element(_ index: Int) -> MessageLocation { MessageLocation(.element(of: place, index: index)) }

  /// The location of the value of `key` in a map, which FCM names as an entry: `data[0].value`.
  func mapValue(_ key: String, at index: Int) -> MessageLocation {
    MessageLocation(.mapValue(of: place, key: key, index: index))
  }

  private static func path(of place: Place) -> [PathStep] {
    switch place {
    case .known(let path, _): path
    case .member(let parent, let key, _), .mapValue(let parent, let key, _): path(of: parent) + [.key(key)]
    case .element(let parent, let index): path(of: parent) + [.index(index)]
    }
  }

  private static func field(of place: Place) -> String {
    switch place {
    case .known(_, let field): return field
    case .member(let parent, _, let name):
      let outer = field(of: parent)
      return outer.isEmpty ? name : "\(outer).\(name)"
    case .element(let parent, let index): return "\(field(of: parent))[\(index)]"
    case .mapValue(let parent, _, let index): return "\(field(of: parent))[\(index)].value"
    }
  }
}
