internal import API
internal import Foundation
internal import JSON
internal import YAML

/// Fields with one value.
extension ConfigurationField {
  /// Any value: `read` returns nil after it has reported what is wrong, `print` returns nil if nothing is
  /// set.
  static func value<Value>(
    _ name: String, _ path: WritableKeyPath<Owner, Value>, isRequired: Bool = false,
    read: @escaping (YAMLField, ConfigurationMapping) -> Value?, print: @escaping (Value) -> String?
  ) -> Self {
    Self(
      keys: [name], paths: [name],
      read: { mapping, owner in
        guard let field = isRequired ? mapping.required(name) : mapping[name],
          let value = read(field, mapping)
        else { return }
        owner[keyPath: path] = value
      },
      printed: { owner in print(owner[keyPath: path]).map { ["\(name): \($0)"] } ?? [] })
  }

  static func integer(
    _ name: String, _ path: WritableKeyPath<Owner, Int>, in range: ClosedRange<Int>
  ) -> Self {
    value(name, path, read: { field, _ in field.integer(in: range) }, print: { "\($0)" })
  }

  /// A number of bytes.
  static func bytes(
    _ name: String, _ path: WritableKeyPath<Owner, Int>, in range: ClosedRange<Int>
  ) -> Self {
    value(
      name, path,
      read: { field, _ in
        if let text = field.node.scalar?.text, let count = ConfigurationText.bytes(text) {
          field.report("must be a number of bytes: write \(count)")
          return nil
        }
        return field.integer(in: range)
      }, print: { "\($0)" })
  }

  static func bool(_ name: String, _ path: WritableKeyPath<Owner, Bool>) -> Self {
    value(name, path, read: { field, _ in field.bool() }, print: { "\($0)" })
  }

  /// A duration of at least `secondsMin` seconds and at most a year.
  static func duration(_ name: String, _ path: WritableKeyPath<Owner, Duration>, secondsMin: Int) -> Self {
    value(
      name, path,
      read: { field, _ in field.seconds(in: secondsMin...31_536_000).map { .seconds($0) } },
      print: { "\($0.components.seconds)s" })
  }

  /// One of the names of `Choice`.
  static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ path: WritableKeyPath<Owner, Choice>
  ) -> Self {
    value(name, path, read: { field, _ in field.choice(Choice.self) }, print: \.rawValue)
  }

  /// A required text.
  static func text(_ name: String, _ path: WritableKeyPath<Owner, String>) -> Self {
    value(
      name, path, isRequired: true, read: { field, _ in field.nonEmptyString() },
      print: ConfigurationText.quoted)
  }

  /// An optional text.
  static func text(_ name: String, _ path: WritableKeyPath<Owner, String?>) -> Self {
    value(
      name, path, read: { field, _ in field.nonEmptyString().map(Optional.some) },
      print: { $0.map(ConfigurationText.quoted) })
  }

  /// A list of what is allowed, at least one text; nil if it is absent, which allows all.
  static func allowed(_ name: String, _ path: WritableKeyPath<Owner, [String]?>) -> Self {
    value(
      name, path,
      read: { field, _ in
        guard let elements = field.elements() else { return nil }
        if elements.isEmpty {
          field.report("allows nothing; name at least one, or remove the field to allow all")
        }
        return elements.compactMap { $0.nonEmptyString() }
      },
      print: { $0.map { "[\($0.map(ConfigurationText.quoted).joined(separator: ", "))]" } })
  }

  /// A required path of a file; `examine` returns what is wrong with the file.
  static func file(
    _ name: String, _ path: WritableKeyPath<Owner, String>,
    examine: @escaping (String) -> String? = { _ in nil }
  ) -> Self {
    value(
      name, path, isRequired: true,
      read: { field, mapping in field.filePath(in: mapping.files, examine: examine) },
      print: ConfigurationText.quoted)
  }

  /// An optional path of a file; `examine` returns what is wrong with the file.
  static func file(
    _ name: String, _ path: WritableKeyPath<Owner, String?>,
    examine: @escaping (String) -> String? = { _ in nil }
  ) -> Self {
    value(
      name, path,
      read: { field, mapping in field.filePath(in: mapping.files, examine: examine).map(Optional.some) },
      print: { $0.map(ConfigurationText.quoted) })
  }

  /// A rate such as `500/s`.
  static func rate(_ name: String, _ path: WritableKeyPath<Owner, RequestRate>) -> Self {
    value(name, path, read: { field, _ in readRate(field) }, print: ConfigurationText.rate)
  }

  /// An optional rate.
  static func rate(_ name: String, _ path: WritableKeyPath<Owner, RequestRate?>) -> Self {
    value(
      name, path, read: { field, _ in readRate(field).map(Optional.some) },
      print: { $0.map(ConfigurationText.rate) })
  }

  private static func readRate(_ field: YAMLField) -> RequestRate? {
    if case .integer(let digits)? = field.node.scalar?.value {
      field.report("a rate needs a unit: write \(digits)/s, \(digits)/m or \(digits)/h")
      return nil
    }
    guard let text = field.nonEmptyString() else { return nil }
    guard let rate = ConfigurationText.rate(text) else {
      field.report("must be a rate from 1/h to 1000000/s, such as 500/s, 600000/m or 100/h")
      return nil
    }
    return rate
  }

  /// A secret from its field or from the file that `NAME_file` names, of which one trailing newline (LF or
  /// CRLF) is cut. `read` gets the text and the field to report to.
  static func secret<Value>(
    _ name: String, _ path: WritableKeyPath<Owner, Value>, isRequired: Bool = true,
    read: @escaping (String, YAMLField, ConfigurationMapping) -> Value?,
    print: @escaping (Value) -> String = { _ in ConfigurationText.hidden }
  ) -> Self {
    Self(
      keys: [name, "\(name)_file"], paths: [name, "\(name)_file"],
      read: { mapping, owner in
        guard let (text, field) = secretText(name, in: mapping, isRequired: isRequired),
          let value = read(text, field, mapping)
        else { return }
        owner[keyPath: path] = value
      },
      printed: { ["\(name): \(print($0[keyPath: path]))"] })
  }

  /// Bytes that the file of a secret may have. A list of several webhook secrets has a few hundred.
  private static var secretFileBytesMax: Int { 65_536 }

  private static func secretText(
    _ name: String, in mapping: ConfigurationMapping, isRequired: Bool
  ) -> (text: String, field: YAMLField)? {
    var (field, fileField) = (mapping[name], mapping["\(name)_file"])
    // A variable overrides what the file sets, in either form.
    switch (field?.node.origin, fileField?.node.origin) {
    case (.some, nil): fileField = nil
    case (nil, .some): field = nil
    default: break
    }
    switch (field, fileField) {
    case (nil, nil):
      if isRequired { mapping.field.report("\(name) or \(name)_file is missing") }
      return nil
    case (.some, let fileField?):
      fileField.report("stands beside \(name); set only one of them")
      return nil
    case (let field?, nil): return field.nonEmptyString().map { ($0, field) }
    case (nil, let fileField?):
      guard let file = fileField.nonEmptyString() else { return nil }
      guard let bytes = try? RegularFile.read(mapping.files.path(file), bytesMax: secretFileBytesMax),
        var text = String(validating: bytes, as: UTF8.self)
      else {
        // The name is not quoted, since the field may hold the secret itself by mistake.
        fileField.report("names a file that cannot be read as text")
        return nil
      }
      if text.last == "\n" || text.last == "\r\n" { text.removeLast() }
      return (text, fileField)
    }
  }
}

extension YAMLField {
  /// The names in a list, or in one text with commas, as a variable has it; each with the field that a
  /// mistake in it belongs to. Nil after a report if it is neither.
  func names() -> [(field: YAMLField, text: String)]? {
    if node.scalar != nil {
      return nonEmptyString().map { text in
        text.split(separator: ",").map { (self, $0.trimmingCharacters(in: .whitespaces)) }
      }
    }
    return elements().map { elements in
      elements.compactMap { element in element.nonEmptyString().map { (element, $0) } }
    }
  }
}
