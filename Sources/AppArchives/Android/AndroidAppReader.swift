internal import AppStrings
internal import JSON

/// Reads the strings of an APK, an Android App Bundle, or a bundle of split APKs.
struct AndroidAppReader {
  let path: String
  let limits: ArchiveLimits
  /// The keys that are needed; nil for all.
  let keys: Set<ExactText>?

  /// The strings of an app; nil if the archive holds none.
  func read(_ archive: ZipArchive) throws(ArchiveError) -> StringResources? {
    if archive["base/resources.pb"] != nil || archive["base/manifest/AndroidManifest.xml"] != nil {
      return try readBundle(archive).resources(path: path)
    }
    if archive["resources.pb"] != nil { return try readModule(archive, folder: "").resources(path: path) }
    if archive["resources.arsc"] != nil || archive["AndroidManifest.xml"] != nil {
      return try readPackages([archive]).resources(path: path)
    }
    let parts = try splits(in: archive)
    guard !parts.isEmpty else { return nil }
    var app = try readPackages(parts, areSplits: parts.count > 1)
    try addFeatures(of: archive, to: &app)
    return app.resources(path: path)
  }

  // MARK: APKs

  /// The parts of an app in a bundle of APKs: the universal one, else the base with its splits. bundletool
  /// names further variants of a part `_2` (ApkPathManager).
  private func splits(in archive: ZipArchive) throws(ArchiveError) -> [ZipArchive] {
    if let universal = archive["universal.apk"] { return [try archive.archive(in: universal)] }
    let apks = archive.entries.filter { $0.name.hasSuffix(".apk") }
    let made = apks.filter { $0.name.hasPrefix("splits/base-") && !Self.isVariant($0.name) }
    if !made.isEmpty {
      var parts: [ZipArchive] = []
      for entry in made { parts.append(try archive.archive(in: entry)) }
      return parts
    }
    if let first = apks.first(where: { $0.name.hasPrefix("standalones/") }) {
      return [try archive.archive(in: first)]
    }
    var parts: [ZipArchive] = []
    for entry in apks where !entry.name.contains("/") { parts.append(try archive.archive(in: entry)) }
    return parts
  }

  /// The keys of feature modules, whose packages have names of their own.
  private func addFeatures(of archive: ZipArchive, to app: inout AndroidApp) throws(ArchiveError) {
    for entry in archive.entries where entry.name.hasSuffix("-master.apk") {
      guard entry.name.hasPrefix("splits/"), !entry.name.hasPrefix("splits/base-") else { continue }
      guard let table = try part(archive.archive(in: entry)).table else { continue }
      for package in table.packages { addForeign((package.name, package.keys), to: &app) }
    }
  }

  private static func isVariant(_ name: String) -> Bool {
    let stem = name.dropLast(4)
    guard let underscore = stem.lastIndex(of: "_") else { return false }
    let number = stem[stem.index(after: underscore)...]
    return !number.isEmpty && number.utf8.allSatisfy(\.isASCIIDigit)
  }

  private struct Part {
    let manifest: AndroidManifest
    let table: ResourceTable?
  }

  private func part(_ archive: ZipArchive) throws(ArchiveError) -> Part {
    guard let entry = archive["AndroidManifest.xml"] else {
      throw .unsupported("The file has no AndroidManifest.xml, so it is not an app.")
    }
    let content = try readManifest(entry, in: archive)
    guard let manifest = AndroidManifest(binary: content) ?? AndroidManifest(protobuf: content) else {
      throw .malformed("The app's AndroidManifest.xml is damaged.")
    }
    let table = try archive["resources.arsc"].map { entry throws(ArchiveError) in
      try ResourceTable(try archive.read(entry), limits: limits)
    }
    return Part(manifest: manifest, table: table)
  }

  /// The icon where the archives have it under its own name. A binary manifest gives an id in place of the
  /// name, and builds may shorten the paths of resources.
  private static func icon(
    of manifest: AndroidManifest, in archives: [ZipArchive], folder: String
  ) -> AppIcon? {
    var name = AndroidAppIcon.usualName
    if case .named(let own)? = manifest.icon { name = own }
    for place in AndroidAppIcon.places(of: name) {
      for archive in archives {
        guard let entry = archive["\(folder)/\(place)"], entry.count <= AppIcon.bytesMax,
          let icon = (try? archive.read(entry)).flatMap({ AppIcon($0) })
        else { continue }
        return icon
      }
    }
    return nil
  }

  private func readManifest(_ entry: ZipArchive.Entry, in archive: ZipArchive) throws(ArchiveError) -> [UInt8]
  {
    guard entry.count <= limits.manifestBytesMax else {
      throw .tooLarge("The app's AndroidManifest.xml is larger than \(limits.manifestBytesMax) bytes.")
    }
    return try archive.read(entry)
  }

  private func readPackages(
    _ archives: [ZipArchive], areSplits: Bool = false
  ) throws(ArchiveError) -> AndroidApp {
    var parts: [Part] = []
    for archive in archives { parts.append(try part(archive)) }
    guard let base = parts.first(where: { ($0.manifest.split ?? "").isEmpty }) else {
      throw .unsupported(
        "This is a split of an app (\(parts.first?.manifest.split?.shortForMessage ?? "")), which has only a "
          + "part of its strings. Name the bundle, or the .apks file that has all splits.")
    }
    parts.removeAll { $0.manifest.package != base.manifest.package }
    var app = AndroidApp(manifest: base.manifest)
    app.icon = Self.icon(of: base.manifest, in: archives, folder: "res")
    let tables = parts.compactMap(\.table)
    guard !tables.isEmpty else { throw .unsupported("The app has no resources.arsc, so it has no strings.") }
    let own = tables.flatMap { table in
      table.packages.filter { $0.name == base.manifest.package }.map { (table: table, package: $0) }
    }
    try decode(own, into: &app)
    addForeign(tables.flatMap(\.packages).map { ($0.name, $0.keys) }, to: &app)
    if own.contains(where: { $0.package.values.contains { $0.kind == .string && $0.isSparse } }),
      base.manifest.minimumVersion ?? 0 < 32
    {
      app.problems.append(
        ResourceProblem(
          kind: .remark, file: path,
          FindingText(
            english:
              "The strings are stored sparsely, which Android 8 to 12 does not always find by name. Build "
              + "without sparse encoding, or for API level 32 and later.")))
    }
    if areSplits { app.problems.append(splitRemark) }
    return app
  }

  private var splitRemark: ResourceProblem {
    ResourceProblem(
      kind: .remark, file: path,
      FindingText(
        english:
          "A phone gets only its own languages' strings, and those of values/. One that has been set to "
          + "another language since shows values/ until the store delivers the rest."))
  }

  private func decode(
    _ parts: [(table: ResourceTable, package: ResourceTable.Package)], into app: inout AndroidApp
  ) throws(ArchiveError) {
    let names = ReferenceNames(parts, countMax: limits.valuesMax)
    func named(_ text: AndroidManifest.Text?) -> AndroidManifest.Text? {
      if case .reference(let id)? = text { names[id].map { .named($0) } } else { text }
    }
    app.manifest.versionName = named(app.manifest.versionName)
    app.manifest.label = named(app.manifest.label)
    app.hasObfuscatedNames = ObfuscatedName.arePrevalent(in: parts.first?.package.keys ?? [])
    let path = path
    app.layers = try withReferences(of: app) { isWanted, budget in
      parts.flatMap {
        $0.table.layers(of: $0.package, file: path, names: names, budget: budget, isWanted: isWanted)
      }
    }
  }

  /// Decodes the wanted names, and then those that their values refer to.
  private func withReferences(
    of app: AndroidApp,
    _ decode: (_ isWanted: @escaping @Sendable (String) -> Bool, TextBudget) throws(ArchiveError)
      -> [AndroidAppLayer]
  ) throws(ArchiveError) -> [AndroidAppLayer] {
    var referred: Set<ExactText> = []
    for case .named(let name)? in [app.manifest.versionName, app.manifest.label] {
      referred.insert(ExactText(name))
    }
    var layers: [AndroidAppLayer] = []
    // Each round finds one more hop. A file can have a chain of any length, but phones follow no longer one.
    for _ in 0...limits.referenceHopsMax {
      let budget = TextBudget(limits)
      let (keys, names) = (keys, referred)
      layers = try decode(
        { name in
          guard let keys else { return true }
          let text = ExactText(name)
          return keys.contains(text) || names.contains(text) || ObfuscatedName.isPossible(name)
        }, budget)
      guard budget.isKept else {
        throw .tooLarge(
          "The app has more than \(limits.valuesMax) texts, or more than \(limits.textBytesMax) bytes of them."
        )
      }
      guard let keys else { return layers }
      let known = referred
      for layer in layers {
        for reference in layer.drafts.lazy.flatMap(\.references).compactMap(\.name) {
          let name = ExactText(reference)
          if !keys.contains(name) { referred.insert(name) }
        }
      }
      if referred.count == known.count { break }
    }
    return layers
  }

  private func addForeign(_ package: (name: String, keys: [String]), to app: inout AndroidApp) {
    guard package.name != app.manifest.package else { return }
    for key in package.keys where keys?.contains(ExactText(key)) ?? true {
      guard app.foreign.count < limits.valuesMax else { return }
      app.foreign[ExactText(key)] = package.name
    }
  }

  private func addForeign(_ packages: [(name: String, keys: [String])], to app: inout AndroidApp) {
    for package in packages { addForeign(package, to: &app) }
    guard !packages.contains(where: { $0.name == app.manifest.package }), let first = packages.first else {
      return
    }
    app.problems.append(
      ResourceProblem(
        kind: .suspicious, file: path,
        FindingText(
          .foreignPackage, [first.name.shortForMessage, (app.manifest.package ?? "").shortForMessage])))
  }
}

// MARK: Bundles

extension AndroidAppReader {
  /// An Android App Bundle: the module `base`, under what `BundleConfig.pb` orders.
  private func readBundle(_ archive: ZipArchive) throws(ArchiveError) -> AndroidApp {
    var app = try readModule(archive, folder: "base/")
    if let entry = archive["BundleConfig.pb"] {
      let configuration = BundleConfiguration(try archive.read(entry))
      if configuration.collapsesNames {
        app.collapsedNames = { !configuration.keptNames.contains($0) }
      }
      if configuration.splitsByLanguage { app.problems.append(splitRemark) }
    }
    for entry in archive.entries where entry.name.hasSuffix("/resources.pb") {
      guard entry.name != "base/resources.pb" else { continue }
      let module = try BundleResources(
        try archive.read(entry), file: path, limits: limits, budget: TextBudget(limits)
      ) { _ in false }
      addForeign((module.package ?? entry.name, module.names), to: &app)
    }
    return app
  }

  private func readModule(_ archive: ZipArchive, folder: String) throws(ArchiveError) -> AndroidApp {
    let manifestPath = folder.isEmpty ? "AndroidManifest.xml" : "\(folder)manifest/AndroidManifest.xml"
    guard let entry = archive[manifestPath],
      let manifest = AndroidManifest(protobuf: try readManifest(entry, in: archive))
    else { throw .malformed("The bundle's \(manifestPath) is missing or damaged.") }
    guard let resources = archive["\(folder)resources.pb"] else {
      throw .unsupported("The app has no \(folder)resources.pb, so it has no strings.")
    }
    let content = try archive.read(resources)
    var app = AndroidApp(manifest: manifest)
    app.icon = Self.icon(of: manifest, in: [archive], folder: "\(folder)res")
    var package: String?
    var names: [String] = []
    app.layers = try withReferences(of: app) { isWanted, budget throws(ArchiveError) in
      let read = try BundleResources(
        content, file: path, limits: limits, budget: budget, isWanted: isWanted)
      (package, names) = (read.package, read.names)
      return read.layers
    }
    app.hasObfuscatedNames = ObfuscatedName.arePrevalent(in: names)
    if let package, package != manifest.package {
      app.layers = []
      addForeign([(package, names)], to: &app)
    }
    return app
  }
}
