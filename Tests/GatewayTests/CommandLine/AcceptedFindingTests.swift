import Foundation
import JSON
import TestSupport
import Testing

/// `check` as a process that writes a file: a baseline, or what keeps strings in release builds.
@Suite(.blocking) struct AcceptedFindingTests {
  @Test func aBaselineIsGreenUntilSomethingNewBreaks() throws {
    let app = try FaultyApp(isFaulty: true)
    let baseline = "\(app.folder.path)/baseline.json"
    let missing = try app.run("check", "--baseline", baseline)
    #expect(missing.status == 2)
    #expect(missing.errors.contains("no such file; --update-baseline writes"))
    #expect(try app.run("check", "--update-baseline").status == 2)
    let update = try app.run("check", "--baseline", baseline, "--update-baseline")
    #expect(update.status == 0, "\(update.errors)")
    #expect(
      update.errors.contains(
        "baseline.json: 17 findings: 3 dropped line, 10 wrong text, 4 other; 0 before\n"
          + "3 findings crash the app, and the baseline does not have them."), "\(update.errors)")
    let crashes = try JSON.parse(try app.run("check", "--baseline", baseline, "--format", "json").output)
    #expect(
      Set(crashes["findings"]?.array?.compactMap { $0["rule"]?.string } ?? [])
        == ["StringFormatMatches", "StringFormatInvalid", "ForeignPlaceholder"])
    #expect(try app.run("check", "--baseline", baseline, "--accept-crashes").status == 2)
    let accepted = try app.run("check", "--baseline", baseline, "--update-baseline", "--accept-crashes")
    #expect(accepted.status == 0)
    #expect(
      accepted.errors.contains("20 findings, 3 of them crash the app: 3 crash, "), "\(accepted.errors)")
    // What was accepted stays so.
    let again = try app.run("check", "--baseline", baseline, "--update-baseline")
    #expect(again.errors.contains("20 findings, 3 of them crash the app"), "\(again.errors)")
    let known = try app.run("check", "--baseline", baseline, "--strict")
    #expect(known.status == 0, "\(known.output)")
    #expect(
      known.output == """
        No new findings.
        0 of 4 languages read every template right; not en, de, fr, sv
        baseline: 20 known findings

        """)
    // Lines move, and another text breaks.
    let path = "\(app.folder.path)/res/values-fr/strings.xml"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try app.folder.write(
      text.replacing("<resources>", with: "<resources>\n\n"), to: "res/values-fr/strings.xml")
    #expect(try app.run("check", "--baseline", baseline, "--strict").status == 0)
    let german = try String(contentsOfFile: "\(app.folder.path)/res/values-de/strings.xml", encoding: .utf8)
    try app.folder.write(german.replacing(">%1$s</", with: ">%1$d</"), to: "res/values-de/strings.xml")
    let broken = try app.run("check", "--baseline", baseline, "--format", "json")
    #expect(broken.status == 1)
    let report = try JSON.parse(broken.output)
    #expect(report["findings"]?.array?.map { $0["key"] } == ["large"])
    #expect(report["baseline"] == ["known": 20, "stale": 0])
    let sarif = try JSON.parse(try app.run("check", "--baseline", baseline, "--format", "sarif").output)
    let results = sarif["runs"]?[0]?["results"]?.array ?? []
    #expect(results.count { $0["suppressions"] == nil } == 1)
    #expect(results.count == 21)
  }

  @Test func writesWhatKeepsTheStringsInReleaseBuilds() throws {
    let app = try FaultyApp(isFaulty: true)
    let file = "\(app.folder.path)/res/raw/dragoman_keep.xml"
    for option in ["--template=large", "--locale=fr", "--baseline=x"] {
      #expect(try app.run("check", "--write-keep", option).status == 2)
    }
    let written = try app.run("check", "--write-keep")
    #expect(written.status == 0)
    #expect(written.errors == "Wrote \(file).\n")
    #expect(
      try String(contentsOfFile: file, encoding: .utf8).hasSuffix(
        """
        <resources xmlns:tools="http://schemas.android.com/tools"
          tools:keep="
            @string/body,
            @string/large,
            @string/plain,
            @string/title" />

        """))
    #expect(!(try app.run("check").output.contains("ResourceShrinker")))
    let again = try app.run("check", "--write-keep")
    #expect(again.status == 0)
    #expect(again.errors.hasPrefix("Nothing to write"), "\(again.errors)")
    try app.folder.write("version: 1\ntemplates: {t: {body: {ios: K}}}\n", to: "catalog.yaml")
    let none = try app.run("check", "--write-keep")
    #expect(none.status == 2)
    #expect(none.errors.contains("--write-keep: the catalog names no resources.android"), "\(none.errors)")
  }
}
