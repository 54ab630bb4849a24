internal import JSON
internal import YAML

/// The use of a param as a value of an FCM field.
struct ParamUse: Sendable, Equatable {
  /// How the arg is written.
  enum Encoding: Sendable {
    /// As a string, whatever the param's type.
    case text
    /// As the JSON type of the param: a string, a number or a Boolean.
    case own
  }

  /// The index into the template's params.
  let param: Int
  let encoding: Encoding

  /// The JSON text of a value. `format` and `bidi` do not apply to it.
  func append(_ value: ParamValue, to output: inout [UInt8]) {
    switch (encoding, value) {
    case (.text, _), (.own, .string): output.appendJSONString(value.text)
    case (.own, _): output.append(contentsOf: value.text.utf8)
    }
  }

  /// A value as JSON, for FCM's schema and rules.
  func json(_ value: ParamValue) -> JSON { encoding == .text ? .string(value.text) : value.json }
}

/// A JSON value of a template in which params may stand.
///
/// A tree is made once, when the catalog is loaded: `CatalogReader.readTree` reads `{$param: NAME}` anywhere
/// in a YAML value and reports what cannot stand there. `PlanCompiler.members` compiles a tree to steps of a
/// message's plan, so that a send appends bytes and builds no JSON. FCM's fields of a template are such a
/// tree; whatever else a message takes from a template, like the state of a Live Activity, can be one too.
indirect enum ValueTree: Sendable {
  typealias Member = (key: String, value: ValueTree)

  case constant(JSON)
  case param(ParamUse)
  /// An object with a param somewhere in it. It is left out if optional params that are left out empty it.
  case object([Member])
  /// A list with a param somewhere in it.
  case list([ValueTree])

  /// The members of an object; nil for any other value.
  var members: [Member]? {
    switch self {
    case .object(let members): members
    case .constant(.object(let object)): object.map { ($0.key, .constant($0.value)) }
    case .constant, .param, .list: nil
    }
  }

  /// The member `key` of an object.
  subscript(key: String) -> ValueTree? { members?.first { $0.key.hasSameBytes(as: key) }?.value }

  /// The value for `values`, in the order of the template's params; nil if it is left out. O(tree).
  func json(_ values: [ParamValue?]) -> JSON? {
    switch self {
    case .constant(let json): return json
    case .param(let use): return values[use.param].map(use.json)
    case .list(let elements): return .array(elements.compactMap { $0.json(values) })
    case .object(let members):
      let present = members.compactMap { member in member.value.json(values).map { (member.key, $0) } }
      return present.isEmpty ? nil : .object(.init(present))
    }
  }

  /// On what it depends whether the value is there at all.
  func presence(_ params: [Param]) -> Presence {
    switch self {
    case .constant, .list: .always
    case .param(let use): params[use.param].isOptional ? .ifAny([use.param]) : .always
    case .object(let members):
      members.reduce(.never) { $0.or($1.value.presence(params)) }
    }
  }
}

/// On which optional params it depends whether something is part of a message.
enum Presence: Sendable {
  case never, always
  /// With at least one of the params.
  case ifAny([Int])

  func or(_ other: Presence) -> Presence {
    switch (self, other) {
    case (.always, _), (_, .always): .always
    case (.never, let rest), (let rest, .never): rest
    case (.ifAny(let left), .ifAny(let right)): .ifAny(left + right)
    }
  }

  func holds(_ values: [ParamValue?]) -> Bool {
    switch self {
    case .never: false
    case .always: true
    case .ifAny(let params): params.contains { values[$0] != nil }
    }
  }
}

extension [ValueTree.Member] {
  /// Removes the member `key` and returns its value.
  mutating func take(_ key: String) -> ValueTree? {
    guard let index = firstIndex(where: { $0.key.hasSameBytes(as: key) }) else { return nil }
    return remove(at: index).value
  }
}

extension YAMLNode {
  /// The key that makes a mapping a reference to a param.
  static let paramKey = "$param"

  /// Whether the value is meant as a reference to a param.
  var isParamReference: Bool { self[YAMLNode.paramKey] != nil }

  /// The name in `{$param: NAME}`; nil for any other value.
  var paramName: String? {
    guard let entries = mapping, entries.count == 1, let scalar = self[YAMLNode.paramKey]?.scalar,
      scalar.value == .string
    else { return nil }
    return scalar.text
  }
}
