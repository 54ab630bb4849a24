import AppArchives
import AppStrings
import Catalog
import CatalogCheck
import FCMMessage
import Gateway
import JSON

extension Command {
  static let defaultCatalog = "config/catalog.yaml"

  static let check = Command(
    name: "check",
    usage: "check [--catalog FILE] [--format text|json|sarif|github] [--strict]",
    summary: "Checks the catalog against every translation in the app's string resources.",
    options: [
      (.value("catalog"), "the catalog; \(defaultCatalog) by default"),
      (.value("format"), "text, json, sarif (2.1.0) or github (annotations); text by default"),
      (.flag("strict"), "exits with 1 on warnings, too"),
    ]
  ) { options in
    let format = try options.choice("format", of: ["text", "json", "sarif", "github"])
    let progress = ProgressLine("reading string resources")
    defer { progress.finish() }
    let app = try AppCatalog.examine(file: options["catalog"] ?? defaultCatalog)
    let (catalog, resources) = (app.catalog, app.resources)
    let count = catalog.templates.count
    let releases = AppReleases(of: catalog)
    let report = Check(catalog, against: resources, releases: releases).report { done in
      progress.update("checking template \(done) of \(count)")
    }
    progress.finish()
    switch format {
    case "json": Output.print(report.json.prettyPrinted)
    case "sarif":
      Output.print(report.sarif(version: Gateway.version, folder: Terminal.currentFolder).prettyPrinted)
    case "github": Output.print(report.github(folder: Terminal.currentFolder))
    default:
      if resources == nil, releases.isEmpty {
        Output.note(
          "\(catalog.file ?? "the catalog") has no resources; only the catalog itself is checked")
      }
      Output.print(report.text(Terminal.style))
    }
    let failures = report.count(of: .error) + (options.has("strict") ? report.count(of: .warning) : 0)
    return failures == 0 ? .success : .failure
  }

  static let strings = Command(
    name: "strings",
    usage: "strings (--android PATH | --ios PATH) [--locale L]… [--key K]… [--format text|json]",
    summary: "Prints an app's string resources as Dragoman reads them.",
    options: [
      (.value("android"), "a res folder with values*/*.xml, an .apk, .aab or .apks, or a snapshot"),
      (.value("ios"), "a folder with *.lproj or *.xcstrings, an .ipa, .app or .xcarchive, or a snapshot"),
      (.list("locale"), "such as default or fr-CA for Android, pt-BR or Base for iOS; repeatable"),
      (.list("key"), "a key, in which * matches anything; repeatable"),
      (.value("format"), "text or json; text by default"),
    ]
  ) { options in
    let format = try options.choice("format", of: ["text", "json"])
    let platforms = AppPlatform.allCases.filter { options.has($0.rawValue) }
    guard platforms.count == 1, let platform = platforms.first, let folder = options[platform.rawValue] else {
      throw UsageError(message: "invalid path; use exactly one of --android PATH and --ios PATH")
    }
    let progress = ProgressLine("reading string resources")
    let resources = StringResources.read(platform, from: folder)
    progress.finish()
    let selection = StringSelection(locales: options.all("locale"), keys: options.all("key"))
    if let unknown = selection.unknownLocales(in: resources).first, !resources.tables.isEmpty {
      let known = resources.tables.map(\.name).joined(separator: ", ")
      throw UsageError(message: "--locale \(unknown): unknown locale; the locales are \(known)")
    }
    if format == "json" {
      Output.print(resources.json(selection))
    } else {
      Output.print(resources.text(selection, Terminal.style))
      for problem in resources.problems { Output.note(problem.text) }
    }
    return resources.problems.contains { $0.kind == .noResources } ? .usage : .success
  }
}

extension Options {
  /// The option's value, which must be one of `known`; the first of them is the default.
  func choice(_ name: String, of known: [String]) throws(UsageError) -> String {
    guard let text = self[name] else { return known.first ?? "" }
    guard known.contains(text) else {
      throw UsageError(message: "--\(name) \(text): must be one of \(known.joined(separator: ", "))")
    }
    return text
  }
}

extension Command {
  static let initialize = Command(
    name: "init",
    usage: "init [--android PATH] [--ios PATH] [--prefix push_] [--output FILE]",
    summary: "Prints a first catalog from the keys that both apps have, as a draft for you to edit.",
    options: [
      (.value("android"), "a res folder with values*/*.xml, an .apk, .aab or .apks, or a snapshot"),
      (.value("ios"), "a folder with *.lproj or *.xcstrings, an .ipa, .app or .xcarchive, or a snapshot"),
      (.value("prefix"), "uses only keys with this prefix, in either platform's spelling"),
      (.value("output"), "writes the catalog to this new file and names the folders from there"),
    ]
  ) { options in
    guard options.has("android") || options.has("ios") else {
      throw UsageError(message: "missing path; use --android PATH, --ios PATH or both")
    }
    let progress = ProgressLine("reading string resources")
    let android = options["android"].map { StringResources.read(.android, from: $0) }
    let ios = options["ios"].map { StringResources.read(.ios, from: $0) }
    progress.finish()
    for problem in (android?.problems ?? []) + (ios?.problems ?? []) { Output.note(problem.text) }
    do throws(FirstCatalogError) {
      let place = options["output"].map { CatalogPlace(file: $0, currentFolder: Terminal.currentFolder) }
      let catalog = try FirstCatalog(
        android: android, ios: ios, prefix: options["prefix"], movedFrom: place)
      if let file = options["output"] {
        if let reason = Output.create(file, catalog.yaml) {
          Output.note("dragoman init: cannot write \(file): \(reason)")
          return .failure
        }
      } else {
        Output.print(catalog.yaml)
      }
      Output.note("\(catalog.templateCount) \(catalog.templateCount == 1 ? "template" : "templates")")
      return .success
    } catch {
      switch error.code {
      case .noStrings: throw UsageError(message: "\(error.folder ?? "the folder") holds no strings")
      case .noKeys:
        Output.note("dragoman init: no key exists on both platforms and has the prefix")
        return .failure
      }
    }
  }
}
