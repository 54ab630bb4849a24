import AppArchives
import AppStrings
import CatalogCheck
import FCMMessage
import JSON

extension Command {
  static let initialize = Command(
    name: "init",
    usage:
      "init [FOLDER] [--android PATH] [--ios PATH] [--prefix push_] [--key GLOB]… [--all] [--output FILE]\n"
      + "       dragoman init --from-messages FILE|URL [--app NAME] [--android PATH] [--ios PATH] [--output FILE]",
    summary: "Prints a first catalog from the strings that both apps have, as a draft for you to edit.",
    details: """
      Strings of both apps belong together if their keys or their texts are equal. Proposes at most 30 templates, those
      first whose texts are most likely those of push messages.

      With --from-messages, proposes a template for each kind of message that was sent: the same keys and fields. Reads
      the inbox of the emulator, as a file or an address, or what a gateway has seen at its address, with the API key in
      DRAGOMAN_KEY.
      """,
    options: [
      (
        .path("android"),
        "a Gradle project, a res folder with values*/*.xml, an .apk, .aab or .apks, or a snapshot"
      ),
      (
        .path("ios"),
        "an Xcode project, a folder with *.lproj or *.xcstrings, an .ipa, .app or .xcarchive, or a snapshot"
      ),
      (.value("prefix"), "uses only keys with this prefix, in either platform's spelling"),
      (
        .list("key"),
        "uses only keys of this name on either platform, in which * matches anything; repeatable"
      ),
      (.flag("all"), "uses all strings, also those that look like no push message, without a limit"),
      (
        .value("from-messages"), "drafts templates from messages: an inbox as JSON, the emulator or a gateway"
      ),
      (.value("app"), "with --from-messages and a gateway: the app"),
      (.path("output"), "writes the catalog to this new file and names the folders from there"),
    ],
    positionalsMax: 1
  ) { options in
    if let source = options["from-messages"] { return try await draft(from: source, options) }
    if options.has("app") { throw UsageError(message: "--app needs --from-messages") }
    let progress = ProgressLine("reading string resources")
    defer { progress.finish() }
    let paths = try options.resourcePaths()
    let android = paths[.android].map { StringResources.read(.android, from: $0) }
    let ios = paths[.ios].map { StringResources.read(.ios, from: $0) }
    progress.finish()
    for note in paths.notes { Output.note(note) }
    let problems = (android?.problems ?? []) + (ios?.problems ?? [])
    for problem in problems.prefix(problemsMax) { Output.note(problem.text) }
    if problems.count > problemsMax {
      Output.note("\(problems.count - problemsMax) more problems; `dragoman strings` lists all")
    }
    let place = CatalogPlace(
      file: options["output"] ?? "catalog.yaml", currentFolder: Terminal.currentFolder)
    if !paths.sources.isEmpty, let catalog = try? paths.sourceCatalog(ios, place) {
      guard write(catalog.yaml, options) else { return .failure }
      Output.note("\(catalog.templateCount) \(catalog.templateCount == 1 ? "template" : "templates")")
      return .success
    }
    guard !paths.locations.isEmpty else {
      Output.note(
        "dragoman init: no text of the sources looks like that of a push message; write a catalog by hand")
      return .failure
    }
    do throws(FirstCatalogError) {
      let selection = FirstCatalog.Selection(
        prefix: options["prefix"] ?? "", keys: options.all("key").map(Glob.init), isAll: options.has("all"))
      let catalog = try FirstCatalog(
        android: android, ios: ios, selection, movedFrom: place, locations: paths.locations)
      guard write(catalog.yaml, options) else { return .failure }
      let more = catalog.leftOutCount > 0 ? "; \(catalog.leftOutCount) more with --all" : ""
      Output.note("\(catalog.templateCount) \(catalog.templateCount == 1 ? "template" : "templates")\(more)")
      return .success
    } catch {
      switch error.code {
      case .noStrings: throw UsageError(message: "\(error.folder ?? "the folder") holds no strings")
      case .noKeys:
        let keys = android == nil || ios == nil ? "no string" : "no string that both apps have"
        Output.note(
          "dragoman init: \(keys) can become a template; check --prefix and --key, or name only one app")
        return .failure
      case .noPushTexts:
        Output.note(
          "dragoman init: no string looks like the text of a push message; choose keys with --key or --prefix, or use "
            + "--all")
        return .failure
      }
    }
  }
}

extension Command {
  /// The most problems of the string files that `init` reports.
  private static let problemsMax = 10

  /// Writes a catalog to where the options say; whether that succeeded.
  static func write(_ catalog: String, _ options: Options) -> Bool {
    guard let file = options["output"] else {
      Output.print(catalog)
      return true
    }
    guard let reason = Output.create(file, catalog) else { return true }
    Output.note("dragoman init: cannot write \(file): \(reason)")
    return false
  }
}

/// Where an app's strings are.
struct FoundResources {
  var locations: [AppPlatform: ResourceLocation] = [:]
  /// The applications of projects that have no strings yet, and folders for the strings of an app.
  private var bare: [AppPlatform: ResourceLocation] = [:]
  /// Whether an application was found.
  var hasApplication: Bool { !bare.isEmpty }
  /// Texts that are no native strings.
  var sources: [StringSourceLocation] = []
  /// What was found, for people.
  var notes: [String] = []

  subscript(platform: AppPlatform) -> ResourceLocation? { locations[platform] }

  /// Takes the application of a platform that most likely is the app, or the likeliest folder with strings.
  mutating func add(_ platform: AppPlatform, from search: ProjectSearch, in root: String) {
    let name = platform.rawValue
    let applications = search.applications(platform)
    if let first = applications.first(where: { $0.bytes > 0 }) {
      locations[platform] = first.location
      let others = applications.dropFirst().filter { $0.bytes > 0 }.map(\.name)
      notes.append("\(name): the application \(first.name)")
      if !others.isEmpty {
        notes.append(
          "\(name): other applications are \(FindingGroup.listed(others, most: 3)); name one in resources")
      }
      if !first.others.isEmpty {
        notes.append("\(name): phones do not look into \(FindingGroup.listed(first.others, most: 5))")
      }
      return
    }
    let folders = search.folders(platform)
    if let application = applications.first {
      bare[platform] = application.location
      let texts =
        folders.isEmpty ? "" : "; push messages do not reach \(FindingGroup.listed(folders, most: 3))"
      notes.append("\(name): the application \(application.name) has no strings of its own\(texts)")
      return
    }
    guard let first = folders.first else {
      if let folder = search.expoFolder(platform) {
        bare[platform] = ResourceLocation(folder)
        notes.append(
          "\(name): Expo makes the native project anew. Make the folder \(folder) for the strings, and copy them into "
            + "the project by a config plugin: see \"Expo\" in docs/sources.md")
      } else {
        notes.append("\(name): no strings found below \(root)")
      }
      return
    }
    locations[platform] = ResourceLocation(first)
    let others = FindingGroup.listed(Array(folders.dropFirst()), most: 3)
    let choice = others.isEmpty ? "" : "; to take another one, use --\(name): \(others)"
    notes.append("\(name): \(first)\(choice)")
  }

  /// A catalog for the texts of the sources, which become strings of the applications that were found.
  func sourceCatalog(
    _ ios: StringResources?, _ place: CatalogPlace
  ) throws(FirstCatalogError) -> SourceCatalog {
    let resources = AppPlatform.allCases.compactMap { platform in
      (locations[platform] ?? bare[platform]).map { location in
        (platform.rawValue, FirstCatalog.place(location, place))
      }
    }
    return try SourceCatalog(
      sources, resources: resources, language: ios?.developmentLanguage(named: nil), movedFrom: place)
  }
}

extension Options {
  /// What the options name, or what is found below the folder that the command line names, the current one by
  /// default.
  func resourcePaths() throws(UsageError) -> FoundResources {
    var paths = FoundResources()
    if has("android") || has("ios") {
      guard positionals.isEmpty else {
        throw UsageError(message: "name either a folder to search, or --android and --ios")
      }
      for platform in AppPlatform.allCases {
        paths.locations[platform] = self[platform.rawValue].map { ResourceLocation($0) }
      }
      return paths
    }
    let folder = positionals.first ?? "."
    let current = Terminal.currentFolder + "/"
    // The catalog names what is below the current folder by a relative path.
    let root = folder.hasPrefix(current) ? String(folder.dropFirst(current.count)) : folder
    let search = ProjectSearch(root)
    for platform in AppPlatform.allCases { paths.add(platform, from: search, in: root) }
    paths.notes += search.notes
    paths.sources = search.sources
    guard !paths.locations.isEmpty || !paths.sources.isEmpty else {
      for note in paths.notes { Output.note(note) }
      throw UsageError(
        message: paths.hasApplication
          ? "push messages reach no string of the application; add their texts to its own strings, then run init again"
          : "no string resources below \(root); use --android PATH, --ios PATH or both")
    }
    return paths
  }
}
