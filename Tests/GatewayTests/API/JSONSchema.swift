import Foundation
import JSON

/// The part of JSON Schema (draft 2020-12) that the OpenAPI description uses; any other keyword is a
/// complaint itself.
struct JSONSchema {
  /// The document that `$ref` points into.
  let document: JSON

  private static let annotations: Set<String> = [
    "description", "default", "example", "examples", "format", "title",
  ]

  /// What is wrong with `value`; empty if it is valid.
  func complaints(about value: JSON, against schema: JSON, at place: String = "") -> [String] {
    guard let keywords = schema.object else {
      return schema.bool == false ? ["\(place): nothing is allowed here"] : []
    }
    return keywords.flatMap { keyword, argument -> [String] in
      if Self.annotations.contains(keyword) { return [] }
      if let found = combination(keyword, argument, value, place) { return found }
      if let found = structure(keyword, argument, schema, value, place) { return found }
      guard let holds = scalar(keyword, argument, value) else {
        return ["\(place): unknown keyword \(keyword)"]
      }
      return holds ? [] : ["\(place): breaks \(keyword) \(text(argument))"]
    }
  }

  /// The target of a `$ref` in this document.
  func resolved(_ schema: JSON) -> JSON {
    guard let reference = schema["$ref"]?.string else { return schema }
    let target = reference.split(separator: "/").dropFirst().reduce(document as JSON?) { $0?[String($1)] }
    return target.map(resolved) ?? false
  }

  private func fits(_ value: JSON, _ schema: JSON) -> Bool {
    complaints(about: value, against: schema).isEmpty
  }

  private func combination(_ keyword: String, _ argument: JSON, _ value: JSON, _ place: String) -> [String]? {
    switch keyword {
    case "$ref":
      return complaints(about: value, against: resolved(["$ref": argument]), at: place)
    case "allOf":
      return argument.array?.flatMap { complaints(about: value, against: $0, at: place) }
    case "oneOf":
      let count = argument.array?.count { fits(value, $0) }
      return count == 1 ? [] : ["\(place): fits \(count ?? 0) of oneOf"]
    case "anyOf":
      let isAny = argument.array?.contains { fits(value, $0) } ?? false
      return isAny ? [] : ["\(place): fits none of anyOf"]
    case "not":
      return fits(value, argument) ? ["\(place): fits what it must not"] : []
    default: return nil
    }
  }

  private func structure(
    _ keyword: String, _ argument: JSON, _ schema: JSON, _ value: JSON, _ place: String
  ) -> [String]? {
    let members = value.object ?? .init()
    switch keyword {
    case "required":
      let missing = argument.array?.compactMap(\.string).filter { value.object != nil && value[$0] == nil }
      return missing?.map { "\(place)/\($0): missing" }
    case "properties":
      return members.flatMap { key, member in
        argument[key].map { complaints(about: member, against: $0, at: "\(place)/\(key)") } ?? []
      }
    case "additionalProperties":
      return members.filter { schema["properties"]?[$0.key] == nil }.flatMap { key, member in
        complaints(about: member, against: argument, at: "\(place)/\(key)")
      }
    case "propertyNames":
      return members.flatMap {
        complaints(about: .string($0.key), against: argument, at: "\(place)/\($0.key)")
      }
    case "items":
      return (value.array ?? []).enumerated().flatMap {
        complaints(about: $1, against: argument, at: "\(place)/\($0)")
      }
    default: return nil
    }
  }

  private func scalar(_ keyword: String, _ argument: JSON, _ value: JSON) -> Bool? {
    switch keyword {
    case "type":
      return (argument.array ?? [argument]).contains { $0.string.map { isA($0, value) } ?? false }
    case "enum": return argument.array?.contains { text($0) == text(value) }
    case "const": return text(argument) == text(value)
    case "pattern":
      guard let string = value.string, let pattern = argument.string else { return true }
      return string.range(of: pattern, options: .regularExpression) != nil
    case "minLength": return bound(value.string?.unicodeScalars.count, argument) { $0 >= $1 }
    case "maxLength": return bound(value.string?.unicodeScalars.count, argument) { $0 <= $1 }
    case "minItems": return bound(value.array?.count, argument) { $0 >= $1 }
    case "maxItems": return bound(value.array?.count, argument) { $0 <= $1 }
    case "minimum":
      return value.double.map { number in argument.double.map { number >= $0 } ?? false } ?? true
    case "maximum":
      return value.double.map { number in argument.double.map { number <= $0 } ?? false } ?? true
    default: return nil
    }
  }

  private func bound(_ count: Int?, _ argument: JSON, _ holds: (Int64, Int64) -> Bool) -> Bool {
    guard let count, let limit = argument.int64 else { return true }
    return holds(Int64(count), limit)
  }

  private func isA(_ type: String, _ value: JSON) -> Bool {
    switch value {
    case .null: type == "null"
    case .bool: type == "boolean"
    case .number: type == "number" || type == "integer" && value.int64 != nil
    case .string: type == "string"
    case .array: type == "array"
    case .object: type == "object"
    }
  }

  private func text(_ value: JSON) -> String { String(decoding: value.serialized, as: UTF8.self) }
}
