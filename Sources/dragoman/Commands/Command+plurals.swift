import AppStrings
import Catalog
import CatalogCheck
import FCMMessage
import JSON

extension Command {
  static let plurals = Command(
    name: "plurals",
    usage: "plurals [--catalog FILE] [--write | --check] [--format text|json]",
    summary: "Prints or writes the texts that push messages need of the app's plurals.",
    options: [
      catalogOption,
      (.flag("write"), "writes the texts into the app's string resources"),
      (.flag("check"), "exits with 1 if --write would change a file"),
      (.value("format"), "text or json; text by default"),
    ]
  ) { options in
    let format = try options.choice("format", of: ["text", "json"])
    if options.has("write"), options.has("check") {
      throw UsageError(message: "--write and --check exclude each other; use one of them")
    }
    let progress = ProgressLine("reading string resources")
    defer { progress.finish() }
    let app = try AppCatalog.load(file: options.catalogFile())
    let report: PluralReport
    do throws(PluralReportError) {
      progress.update("making the texts of plurals")
      report = try PluralReport(app)
    } catch {
      throw UsageError(
        message:
          "\(app.catalog.file ?? "the catalog") names no languages; add resources: {android: …, ios: …}, or "
          + "plurals: {languages: […]}")
    }
    if options.has("write") {
      do throws(GeneratedTextError) {
        try report.write()
      } catch {
        progress.finish()
        Output.note("dragoman plurals: \(error.message)")
        return .failure
      }
    }
    progress.finish()
    Output.print(format == "json" ? report.json.prettyPrinted : report.text(Terminal.style))
    for finding in report.findings { Output.note(finding.sentence) }
    if let first = report.firstStrings.first {
      let languages = report.firstStrings.map(\.language).joined(separator: ", ")
      Output.note(
        "Without Localizable.strings, phones in \(languages) take all texts but plurals from \(first.substitute). "
          + "With it, they look for all of them there: add the other texts too.")
    }
    let files = report.changedFiles
    if options.has("write") {
      Output.note(files.isEmpty ? "Nothing to write." : "Wrote \(files.joined(separator: ", ")).")
      Command.note(report.unreachedFiles())
    } else if options.has("check") {
      Output.note(
        files.isEmpty
          ? "Nothing to change: `dragoman plurals --write` would change no file."
          : "Run `dragoman plurals --write`, which changes \(files.joined(separator: ", ")).")
    }
    return report.isIncomplete || options.has("check") && !files.isEmpty ? .failure : .success
  }
}

extension Finding {
  /// The finding in one line, for stderr.
  var sentence: String {
    let place = [file, line.map(String.init)].compactMap(\.self).joined(separator: ":")
    let subject = [platform?.rawValue, locale, key].compactMap(\.self).joined(separator: " ")
    return "\(severity.rawValue) \(rule.rawValue) \(subject) (\(place)): \(message) \(help)".printable
  }
}
