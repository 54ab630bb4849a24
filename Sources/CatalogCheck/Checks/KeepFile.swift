internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import Foundation
internal import JSON
internal import LocaleRules

/// The file that keeps the catalog's strings in release builds of the Android app, from which the resource
/// shrinker otherwise removes what only a push message names.
package struct KeepFile: Sendable {
  /// Its name in `res/raw/`. Only Dragoman writes it.
  package static let name = "dragoman_keep.xml"

  package let path: String
  private let folder: String
  private let names: [String]

  /// Throws if the catalog names no folder of an Android app's source.
  package init(_ app: AppCatalog) throws(KeepFileError) {
    guard let resources = app.resources?.android else {
      throw KeepFileError(.noSources, "the catalog names no resources.android; add the app's res folder")
    }
    guard resources.isSourceFolder else {
      throw KeepFileError(
        .noSources, "\(resources.folder) is no folder of the app's source; name its res folder in resources")
    }
    folder = resources.ownFolder
    path = "\(folder)/raw/\(Self.name)"
    var names: Set<ExactText> = []
    for use in app.catalog.templates.flatMap(\.keyUses) where use.platform == .android {
      let exists = use.keys.contains { key in resources.tables.contains { $0[key] != nil } }
      guard exists else { continue }
      // Of a plural, the strings of all classes.
      names.insert(ExactText(use.plural == nil ? use.text.key : "\(use.text.key)_n*"))
    }
    guard !names.isEmpty else {
      throw KeepFileError(.noSources, "no template uses a string of \(folder); there is nothing to keep")
    }
    self.names = names.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Writes the file, and makes its folder. Returns false if it has this content already.
  package func write() throws(KeepFileError) -> Bool {
    let bytes = GeneratedFile.keepRules(names)
    let old: [UInt8]?
    do throws(GeneratedTextError) { old = try GeneratedFile.read(path) } catch {
      throw KeepFileError(.unwritable, "\(path): \(error.message)")
    }
    guard old != bytes else { return false }
    guard mkdir("\(folder)/raw", 0o777) == 0 || errno == EEXIST else {
      throw KeepFileError(
        .unwritable, "the folder \(folder)/raw cannot be made: \(String(cString: strerror(errno)))")
    }
    var replacements = FileReplacements()
    do throws(GeneratedTextError) {
      try replacements.add(path, bytes, within: folder)
      try replacements.commit()
    } catch {
      throw KeepFileError(.unwritable, error.message)
    }
    return true
  }
}

/// Why there is no keep file.
package struct KeepFileError: Error, Sendable {
  package enum Code: Sendable {
    /// The catalog names no folder to write to.
    case noSources
    case unwritable
  }

  package let code: Code
  /// What is wrong and what to do, as the end of a sentence.
  package let reason: String

  init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}

extension KeyUse {
  /// The key, and those of all classes of a plural.
  fileprivate var keys: [String] {
    guard let plural else { return [text.key] }
    return [text.key] + plural.partition.smallestMembers.indices.map { ofClass($0, of: plural).text.key }
  }
}
