import AppArchives
import AppStrings
import Catalog
import CatalogCheck
import FCMMessage
import Gateway
import JSON

extension Command {
  static let strings = Command(
    name: "strings",
    usage:
      "strings (--android PATH… [--module M] [--variant V] | --ios PATH… [--target T]) [--locale L]… [--key K]… "
      + "[--format text|json]\n       dragoman strings (--write | --check) [--catalog FILE]",
    summary:
      "Prints an app's string resources as Dragoman reads them, or writes those that its sources have.",
    details: """
      With --write, writes the texts that a catalog's slots take from sources (ARB, JSON, composeResources, gettext) into
      the native string resources, where phones find them. With --check, exits with 1 if that would change a file.
      """,
    options: [
      (
        .paths("android"),
        "a Gradle project, a res folder with values*/*.xml, an .apk, .aab or .apks, or a snapshot; repeatable for "
          + "res folders, of which earlier ones win"
      ),
      (
        .paths("ios"),
        "an Xcode project, a folder with *.lproj or *.xcstrings, an .ipa, .app or .xcarchive, or a snapshot; "
          + "repeatable for folders"
      ),
      (.value("module"), "the application module of a Gradle project, such as app"),
      (.value("variant"), "the build variant or flavor, such as playRelease; all by default"),
      (.value("target"), "the application target of an Xcode project"),
      (.list("locale"), "such as default or fr-CA for Android, pt-BR or Base for iOS; repeatable"),
      (.list("key"), "a key, in which * matches anything; repeatable"),
      (.value("format"), "text or json; text by default"),
      catalogOption,
      (.flag("write"), "writes the texts of the catalog's sources into the native string resources"),
      (.flag("check"), "exits with 1 if --write would change a file"),
    ]
  ) { options in
    if options.has("write") || options.has("check") { return try writeSources(options) }
    let format = try options.choice("format", of: ["text", "json"])
    let platforms = AppPlatform.allCases.filter { options.has($0.rawValue) }
    guard platforms.count == 1, let platform = platforms.first else {
      throw UsageError(message: "name the strings with exactly one of --android PATH and --ios PATH")
    }
    let progress = ProgressLine("reading string resources")
    let resources = StringResources.read(platform, from: try options.location(platform))
    progress.finish()
    let selection = StringSelection(locales: options.all("locale"), keys: options.all("key"))
    if let unknown = selection.unknownLocales(in: resources).first, !resources.tables.isEmpty {
      let known = resources.tables.map(\.name).joined(separator: ", ")
      throw UsageError(message: "--locale \(unknown): unknown locale; the locales are \(known)")
    }
    if format == "json" {
      resources.json(selection) { Output.print($0, terminator: "") }
    } else {
      resources.text(selection, Terminal.style) { Output.print($0, terminator: "") }
      for problem in resources.problems { Output.note(problem.text) }
    }
    return resources.problems.contains { $0.kind == .noResources } ? .usage : .success
  }
}

extension Command {
  /// Writes the texts of a catalog's sources, or looks whether they are written.
  private static func writeSources(_ options: Options) throws -> ExitCode {
    let others = ["android", "ios", "module", "variant", "target", "locale", "key", "format"]
    if let other = others.first(where: options.has) {
      throw UsageError(message: "--\(other) does not go with --write and --check, which read the catalog")
    }
    if options.has("write"), options.has("check") {
      throw UsageError(message: "--write and --check exclude each other; use one of them")
    }
    let progress = ProgressLine("reading string resources")
    defer { progress.finish() }
    let app = try AppCatalog.load(file: options.catalogFile())
    let report: SourceReport
    do throws(SourceReportError) {
      report = try SourceReport(app)
    } catch {
      throw UsageError(message: "\(app.catalog.file ?? "the catalog") \(error.reason)")
    }
    progress.finish()
    for finding in report.findings { Output.note(finding.sentence) }
    let files = report.changedFiles
    if options.has("check") {
      for file in files { Output.print(file.printable) }
      Output.note(
        files.isEmpty
          ? "Nothing to change: `dragoman strings --write` would change no file."
          : "Run `dragoman strings --write`, which changes \(files.count) \(files.count == 1 ? "file" : "files")."
      )
      return files.isEmpty && !report.hasErrors ? .success : .failure
    }
    do throws(GeneratedTextError) {
      try report.write()
    } catch {
      Output.note("dragoman strings: \(error.message)")
      return .failure
    }
    for file in files { Output.print(file.printable) }
    Output.note(
      files.isEmpty ? "Nothing to write." : "Wrote \(files.count) \(files.count == 1 ? "file" : "files").")
    note(report.unreachedFiles())
    return report.hasErrors ? .failure : .success
  }

  /// Says how files reach the app that its target does not have.
  static func note(_ unreached: UnreachedFiles?) {
    guard let unreached else { return }
    Output.note("The app's target does not have \(unreached.list). \(unreached.help)".printable)
  }
}

extension Options {
  /// The strings that the options name.
  fileprivate func location(_ platform: AppPlatform) throws(UsageError) -> ResourceLocation {
    let ofOther = platform == .android ? ["target"] : ["module", "variant"]
    if let option = ofOther.first(where: has) {
      throw UsageError(message: "--\(option) is not for --\(platform.rawValue)")
    }
    return ResourceLocation(
      all(platform.rawValue), module: self["module"], variant: self["variant"], target: self["target"])
  }

  /// The option's value, which must be one of `known`; the first of them is the default.
  func choice(_ name: String, of known: [String]) throws(UsageError) -> String {
    guard let text = self[name] else { return known.first ?? "" }
    guard known.contains(text) else {
      throw UsageError(message: "--\(name) \(text): must be one of \(known.joined(separator: ", "))")
    }
    return text
  }
}
