internal import HTTPClient
internal import JSON

/// Reads the fields of a credentials file, or of an object in it, and collects all mistakes. Reasons never
/// hold a value.
struct CredentialsFields {
  /// Shared by the readers of one file.
  private final class Collector {
    var problems: [CredentialsError.Detail] = []
  }

  private let json: JSON
  private let path: String
  private let collector: Collector

  init(_ json: JSON) { self.init(json, path: "", collector: Collector()) }

  private init(_ json: JSON, path: String, collector: Collector) {
    self.json = json
    self.path = path
    self.collector = collector
  }

  /// All mistakes of the file, in the order of reading.
  var problems: [CredentialsError.Detail] { collector.problems }

  func note(_ name: String, _ reason: String) {
    collector.problems.append(.init(field: path + name, reason: reason))
  }

  func has(_ name: String) -> Bool { json[name].map { !$0.isNull } ?? false }

  func optional(_ name: String) -> String? {
    guard let value = json[name], !value.isNull else { return nil }
    guard let text = value.string else {
      note(name, "is \(value.kind), not a string")
      return nil
    }
    guard !text.isEmpty else {
      note(name, "is empty")
      return nil
    }
    return text
  }

  func required(_ name: String) -> String? {
    if !has(name) { note(name, "is missing") }
    return optional(name)
  }

  /// A text for a request header, in which a line break would begin another header.
  func headerValue(_ name: String) -> String? {
    guard let text = optional(name) else { return nil }
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
      note(name, "holds characters that a header cannot carry")
      return nil
    }
    return text
  }

  /// A URL that secrets are sent to: `fallback` if the field is absent; a mistake if there is no
  /// fallback.
  func secretEndpoint(_ name: String, or fallback: String? = nil) -> String? {
    if !has(name), let fallback { return fallback }
    guard let url = required(name) else { return nil }
    if let problem = EndpointURL.problem(url) ?? EndpointURL.problemForSecrets(url) {
      note(name, problem)
      return nil
    }
    return url
  }

  /// A reader of the object's fields; nil if there is no object.
  func object(_ name: String) -> CredentialsFields? {
    guard let value = json[name], !value.isNull else { return nil }
    guard value.object != nil else {
      note(name, "is \(value.kind), not an object")
      return nil
    }
    return CredentialsFields(value, path: "\(path)\(name).", collector: collector)
  }

  /// The names of an object's fields, in order.
  var names: [String] { json.object?.members.map(\.key) ?? [] }

  func texts(_ name: String) -> [String] {
    guard let value = json[name], !value.isNull else { return [] }
    guard let texts = value.array?.map(\.string), texts.allSatisfy({ $0 != nil && $0 != "" }) else {
      note(name, "is not an array of strings")
      return []
    }
    return texts.compactMap { $0 }
  }

  /// Whole seconds within `range`, as a number.
  func seconds(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
    guard let value = json[name], !value.isNull else { return nil }
    guard let seconds = value.int64, range.contains(seconds) else {
      note(name, "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return seconds
  }
}
