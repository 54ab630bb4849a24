// Prints an iOS app's Localizable tables as Foundation's own parsers read them: FoundationStrings FOLDER
//
// {"en": {"KEY": "text" or null for a text that varies}}, from .strings and .stringsdict files by
// PropertyListSerialization and from .xcstrings by JSONSerialization.
import Foundation

let folder = URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? ".")
var tables: [String: [String: Any]] = [:]

func readPropertyList(_ file: URL, into table: inout [String: Any]) throws {
  let data = try Data(contentsOf: file)
  let list = try PropertyListSerialization.propertyList(from: data, format: nil)
  for (key, value) in list as? [String: Any] ?? [:] {
    table[key] = value is String ? value : NSNull()
  }
}

/// What `xcstringstool compile` writes: the source language's text is the key where there is no other, and a
/// language has only the keys that it translates.
func readCatalog(_ file: URL) throws {
  let root = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
  let source = root["sourceLanguage"] as? String ?? "en"
  for (key, entry) in root["strings"] as? [String: [String: Any]] ?? [:] {
    let localizations = entry["localizations"] as? [String: [String: Any]] ?? [:]
    for (language, localization) in localizations {
      if localization["variations"] != nil || localization["substitutions"] != nil {
        tables[language, default: [:]][key] = NSNull()
      } else if let unit = localization["stringUnit"] as? [String: Any], let value = unit["value"] as? String
      {
        tables[language, default: [:]][key] = value
      }
    }
    if localizations[source] == nil { tables[source, default: [:]][key] = key }
  }
}

for item in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
  let path = folder.appendingPathComponent(item)
  if item == "Localizable.xcstrings" { try readCatalog(path) }
  guard item.hasSuffix(".lproj") else { continue }
  let language = String(item.dropLast(".lproj".count))
  // A stringsdict's entry replaces that of the .strings file.
  for name in ["Localizable.strings", "Localizable.stringsdict"] {
    let file = path.appendingPathComponent(name)
    guard FileManager.default.fileExists(atPath: file.path) else { continue }
    try readPropertyList(file, into: &tables[language, default: [:]])
  }
}
let json = try JSONSerialization.data(withJSONObject: tables, options: [.sortedKeys])
FileHandle.standardOutput.write(json)
