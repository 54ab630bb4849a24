internal import Foundation
internal import JSON
internal import YAML

/// A part of the configuration that a mapping of the file fills, with all its fields: the one table that
/// reads, names, overrides and prints them.
protocol ConfigurationSection {
  /// In the order in which they are printed.
  static var fields: [ConfigurationField<Self>] { get }

  /// Reports what no field alone can tell, once all of them are read.
  mutating func validate(_ mapping: ConfigurationMapping)
}

extension ConfigurationSection {
  mutating func validate(_ mapping: ConfigurationMapping) {}
}

/// One field of a section: its name, how it is read into `Owner`, and how it is printed. The static functions
/// make the kinds of fields that there are.
struct ConfigurationField<Owner> {
  /// The keys of the mapping that it takes: its name, and `NAME_file` for a secret.
  let keys: [String]
  /// The paths of the values in it, relative to the owner; see `GatewayConfiguration.fieldPaths`.
  let paths: [String]
  /// Reads its keys from a mapping; reports what is wrong and leaves the owner's default.
  let read: (ConfigurationMapping, inout Owner) -> Void
  /// Its lines of YAML without indentation; none if it is not set.
  let printed: (Owner) -> [String]
}

/// A mapping of the file that is read as a section.
struct ConfigurationMapping {
  let field: YAMLField
  let files: ConfiguredFiles
  private let known: [String: YAMLField]

  /// Reports keys that are not among `keys`; nil if the value is no mapping.
  init?(_ field: YAMLField, files: ConfiguredFiles, keys: [String]) {
    guard let entries = field.entries() else { return nil }
    var known: [String: YAMLField] = [:]
    for entry in entries {
      if let key = keys.first(where: { $0.hasSameBytes(as: entry.name) }) {
        known[key] = entry.value
      } else {
        entry.key.report("unknown field", suggestion: nearestName(to: entry.name, among: keys))
      }
    }
    self.field = field
    self.files = files
    self.known = known
  }

  subscript(key: String) -> YAMLField? { known[key] }

  /// The field; a missing one is reported.
  func required(_ key: String) -> YAMLField? {
    if let field = known[key] { return field }
    field.problems.report("missing", at: field.node, path: field.path.appending(key))
    return nil
  }
}

extension YAMLField {
  /// The value of a key, if this is a mapping that has it.
  subscript(key: String) -> YAMLField? {
    node[key].map { YAMLField(node: $0, path: path.appending(key), problems: problems) }
  }
}

extension ConfigurationSection {
  /// Reads a mapping of the file over the values that are there.
  mutating func read(_ field: YAMLField, files: ConfiguredFiles) {
    let fields = Self.fields
    let keys = fields.flatMap(\.keys)
    guard let mapping = ConfigurationMapping(field, files: files, keys: keys) else { return }
    for field in fields { field.read(mapping, &self) }
    validate(mapping)
  }

  /// Its lines of YAML, without indentation.
  var printedLines: [String] { Self.fields.flatMap { $0.printed(self) } }
}
