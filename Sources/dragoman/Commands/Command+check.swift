import AppStrings
import Catalog
import CatalogCheck
import FCMMessage
import Foundation
import Gateway
import JSON

extension Command {
  static let check = Command(
    name: "check",
    usage:
      "check [--catalog FILE] [--format text|json|sarif|github] [--strict] [--baseline FILE "
      + "[--update-baseline [--accept-crashes]]] [--template GLOB]… [--locale TAG]… | --write-keep",
    summary: "Checks the catalog against every translation in the app's string resources.",
    options: [
      catalogOption,
      (.value("format"), "text, json, sarif (2.1.0) or github (annotations); text by default"),
      (.flag("strict"), "exits with 1 on warnings, too"),
      (.path("baseline"), "a file of known findings, which are left out"),
      (
        .flag("update-baseline"),
        "writes the findings of this run to the baseline, except new ones that crash the app, and exits with 0"
      ),
      (.flag("accept-crashes"), "with --update-baseline: writes findings that crash the app, too"),
      (
        .flag("write-keep"),
        "writes res/raw/\(KeepFile.name), which keeps the catalog's strings in release builds, and exits with 0"
      ),
      (.list("template"), "only templates of this name, in which * matches anything; repeatable"),
      (.list("locale"), "only findings in this language, such as fr or pt-BR; repeatable"),
    ]
  ) { options in
    let format = try options.choice("format", of: ["text", "json", "sarif", "github"])
    try options.validateCombinations()
    let baseline = try options["baseline"].map { path throws(UsageError) in
      try BaselineFile(path, isUpdated: options.has("update-baseline"))
    }
    let progress = ProgressLine("reading string resources")
    defer { progress.finish() }
    let app = try AppCatalog.examine(file: options.catalogFile())
    if let problem = AppPlatform.allCases.lazy.compactMap({ app.misplaced($0) }).first {
      throw UsageError(message: problem)
    }
    if options.has("write-keep") { return try writeKeepFile(of: app) }
    let selection = try options.selection(of: app)
    let (catalog, count) = (app.catalog, app.catalog.templates.count)
    let releases = AppReleases(of: catalog)
    var report = Check(catalog, against: app.resources, releases: releases).report { done in
      progress.update("checking template \(done) of \(count)")
    }.selecting(selection)
    progress.finish()
    if let baseline, options.has("update-baseline") {
      return baseline.update(with: report, selection, acceptsCrashes: options.has("accept-crashes"))
    }
    if let baseline { report = report.without(baseline.findings.filter(selection, includes: true)) }
    switch format {
    case "json": Output.print(report.json.prettyPrinted)
    case "sarif":
      Output.print(report.sarif(version: Gateway.version, folder: Terminal.currentFolder).prettyPrinted)
    case "github": Output.print(report.github(folder: Terminal.currentFolder))
    default:
      if app.resources == nil, releases.isEmpty {
        Output.note(
          "\(catalog.file ?? "the catalog") has no resources; only the catalog itself is checked")
      }
      Output.print(report.text(Terminal.style))
    }
    let failures = report.count(of: .error) + (options.has("strict") ? report.count(of: .warning) : 0)
    return failures == 0 ? .success : .failure
  }

  private static func writeKeepFile(of app: AppCatalog) throws(UsageError) -> ExitCode {
    do throws(KeepFileError) {
      let file = try KeepFile(app)
      Output.note(try file.write() ? "Wrote \(file.path)." : "Nothing to write: \(file.path) is up to date.")
      return .success
    } catch {
      guard error.code == .noSources else {
        Output.note("dragoman check: \(error.reason)")
        return .failure
      }
      throw UsageError(message: "--write-keep: \(error.reason)")
    }
  }
}

extension Options {
  /// Refuses options that have no effect without, or beside, others.
  fileprivate func validateCombinations() throws(UsageError) {
    if has("update-baseline"), !has("baseline") {
      throw UsageError(message: "--update-baseline needs --baseline FILE")
    }
    if has("accept-crashes"), !has("update-baseline") {
      throw UsageError(message: "--accept-crashes needs --update-baseline")
    }
    guard has("write-keep") else { return }
    for option in ["baseline", "template", "locale"] where has(option) {
      throw UsageError(message: "--write-keep is about the whole catalog; leave --\(option) out")
    }
  }

  /// The templates and languages that `--template` and `--locale` name.
  fileprivate func selection(of app: AppCatalog) throws(UsageError) -> FindingSelection {
    let tables = AppPlatform.allCases.flatMap { app.resources?[$0]?.tables.map(\.name) ?? [] }
    for locale in all("locale")
    where LocaleTag(locale) == nil && !tables.contains(where: { $0.hasSameBytes(as: locale) }) {
      throw UsageError(
        message:
          "--locale \(locale): must be a BCP 47 tag such as fr-CA, or default or Base if the app has it")
    }
    do throws(FindingSelectionError) {
      return try FindingSelection(templates: all("template"), locales: all("locale"), of: app)
    } catch {
      switch error.code {
      case .unknownTemplate:
        throw UsageError(
          message: "--template \(error.name): no template has this name"
            + suggestion(for: error.name, among: error.known, of: "templates"))
      case .unknownLocale:
        throw UsageError(
          message: "--locale \(error.name): the app has no such language"
            + suggestion(for: error.name, among: error.known, of: "languages"))
      }
    }
  }
}

/// The file of `--baseline`.
private struct BaselineFile {
  /// A finding has some 200 bytes in it.
  private static let bytesMax = 64 << 20

  let path: String
  let findings: FindingBaseline

  /// Reads it. A file that is to be written need not exist yet.
  init(_ path: String, isUpdated: Bool) throws(UsageError) {
    self.path = path
    guard FileManager.default.fileExists(atPath: path) else {
      guard isUpdated else {
        throw UsageError(
          message: "--baseline \(path): no such file; --update-baseline writes the present findings to it")
      }
      findings = FindingBaseline([])
      return
    }
    let bytes: [UInt8]
    do throws(FileReadError) {
      bytes = try RegularFile.read(path, bytesMax: Self.bytesMax)
    } catch {
      throw UsageError(
        message: "--baseline \(path): cannot be read: \(error.shortReason); name a file that you may read")
    }
    do throws(FindingBaselineError) {
      findings = try FindingBaseline(parsing: bytes)
    } catch {
      throw UsageError(
        message: "--baseline \(path): \(error.reason); correct it, or remove it and use --update-baseline")
    }
  }

  /// Replaces what the selection includes by the findings of a report.
  func update(
    with report: CheckReport, _ selection: FindingSelection, acceptsCrashes: Bool
  ) -> ExitCode {
    let (accepted, refusedCount) = findings.filter(selection, includes: true)
      .updated(with: report.findings, acceptsCrashes: acceptsCrashes)
    let updated = accepted.merging(findings.filter(selection, includes: false))
    do {
      try Data(updated.text.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      Output.note("dragoman check: cannot write \(path): \(error.localizedDescription)")
      return .failure
    }
    Output.note("\(path): \(updated.summary); \(findings.count) before")
    if refusedCount > 0 {
      Output.note(
        "\(refusedCount) \(refusedCount == 1 ? "finding crashes" : "findings crash") the app, and the baseline "
          + "does not have \(refusedCount == 1 ? "it" : "them"). Correct the texts, or add --accept-crashes.")
    }
    return .success
  }
}
