internal import AppStrings
internal import FCMMessage
internal import JSON

/// A built Android app, reduced to what its strings need, whichever form it has.
struct AndroidApp {
  var manifest: AndroidManifest
  var layers: [AndroidAppLayer] = []
  /// The keys of packages in which a push never looks, each with its package.
  var foreign: [ExactText: String] = [:]
  var hasObfuscatedNames = false
  /// Names of strings that the phones' tables do not have, although this file does.
  var collapsedNames: ((String) -> Bool)?
  var problems: [ResourceProblem] = []
  var icon: AppIcon?

  /// The strings, as a source folder gives them.
  func resources(path: String) -> StringResources {
    var renamed: [ExactText: String] = [:]
    for layer in layers where layer.configuration.locale == nil && !layer.configuration.isConditional {
      for draft in layer.drafts {
        guard let text = draft.entry.text, !text.isEmpty else { continue }
        let name = draft.entry.key
        if collapsedNames?(name) ?? false {
          renamed[ExactText(text)] = ObfuscatedName.collapsed
        } else if ObfuscatedName.isPossible(name) {
          renamed[ExactText(text)] = name
        }
      }
    }
    let kept = layers.map { layer in
      var layer = layer
      if let collapsedNames { layer.drafts.removeAll { collapsedNames($0.entry.key) } }
      return layer
    }
    let sorted = kept.sorted { $0.configuration.precedes($1.configuration) }
    let built = BuiltAndroidStrings.tables(
      sorted.map {
        .init(table: $0.configuration.table, locale: $0.configuration.locale, drafts: $0.drafts)
      })
    let shipped = ShippedApp(
      version: version(in: built.tables), package: manifest.package, renamedTexts: renamed,
      hasObfuscatedNames: hasObfuscatedNames || collapsedNames != nil)
    let id = (manifest.package ?? "unknown").shortForMessage
    let reason = "the application's id is \(id), the only package in which phones look"
    let places = Dictionary(
      uniqueKeysWithValues: Set(foreign.values).map { package in
        (package, StringResources.Elsewhere(path: path, owner: package, reason: reason))
      })
    return StringResources(
      platform: .android, folder: path, tables: built.tables,
      problems: problems + built.problems + cutTexts(in: built.tables),
      outOfReach: foreign.mapValues { .init(table: $0, file: path, line: nil, place: places[$0]) },
      elsewhere: places.values.sorted { ($0.owner ?? "") < ($1.owner ?? "") }, shipped: shipped,
      appName: name(in: built.tables), appIcon: icon)
  }

  private func name(in tables: [StringTable]) -> AppName? {
    switch manifest.label {
    case .literal(let text): AppName(text)
    case .named(let key): AppName(string: key, in: tables)
    case .reference, nil: nil
    }
  }

  private func version(in tables: [StringTable]) -> String? {
    switch manifest.versionName {
    case .literal(let text): text
    case .named(let name): tables.first { $0.locale == nil }?[name]?.text
    case .reference, nil: nil
    }
  }

  /// `check` finds it in the texts themselves, because a snapshot has it too.
  private func cutTexts(in tables: [StringTable]) -> [ResourceProblem] {
    tables.flatMap { table in
      table.entries.values.filter { $0.text == CutText.replacement }.map {
        ResourceProblem(
          kind: .remark, file: $0.file, table: table.name, key: $0.key,
          FindingText(
            english:
              "Users see \(CutText.replacement) in place of \($0.key.shortForMessage), because the text "
              + "has more than 32,767 bytes. Shorten it."))
      }
    }
  }
}
