internal import Catalog
internal import JSON

/// A template's params as JSON Schema (draft 2020-12), for the description of the API.
extension Template {
  /// The schema of `args`: the template's params, and no others.
  var argsSchema: JSON {
    var schema = JSON.Object([
      ("type", "object"), ("title", .string(name)),
      ("properties", .object(.init(params.map { ($0.name, $0.schema) }))),
    ])
    let required = params.filter(\.isRequired).map { JSON.string($0.name) }
    if !required.isEmpty { schema["required"] = .array(required) }
    schema["additionalProperties"] = false
    return .object(schema)
  }
}

extension Param {
  /// Any number that a double holds, as JSON writes it.
  private static let numberPattern = #"^-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]{1,99})?(?:[eE][+-]?[0-9]{1,2})?$"#

  fileprivate var schema: JSON {
    var schema = type == .number ? numberSchema : plainSchema
    if let description { schema["description"] = .string(description) }
    if let defaultValue { schema["default"] = defaultValue.json }
    if let example { schema["examples"] = [example.json] }
    return .object(schema)
  }

  private var plainSchema: JSON.Object {
    if let allowed { return .init([("enum", .array(allowed.map(\.json)))]) }
    if type.isDate {
      return .init([("type", "string"), ("format", .string(type == .datetime ? "date-time" : type.rawValue))])
    }
    var schema = JSON.Object([("type", .string(type.rawValue))])
    if let lengthMax { schema["maxLength"] = JSON(lengthMax) }
    if type == .integer {
      schema["minimum"] = min?.json ?? JSON(Int64.min)
      schema["maximum"] = max?.json ?? JSON(Int64.max)
    }
    return schema
  }

  /// A number may also be a string, which is passed on as written. A pattern cannot express which strings are
  /// within limits: then the schema names the limits themselves.
  private var numberSchema: JSON.Object {
    if let allowed {
      return .init([("enum", .array(allowed.map(\.json) + allowed.map { .string($0.text) }))])
    }
    let limits = [min, max].compactMap(\.self)
    var number = JSON.Object([("type", "number")])
    number["minimum"] = min?.json
    number["maximum"] = max?.json
    let text: JSON =
      limits.isEmpty
      ? ["type": "string", "pattern": .string(Self.numberPattern)]
      : ["type": "string", "enum": .array(limits.map { .string($0.text) })]
    return .init([("anyOf", .array([.object(number), text]))])
  }
}
