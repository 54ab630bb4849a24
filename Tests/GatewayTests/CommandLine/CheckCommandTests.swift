import Foundation
import JSON
import TestSupport
import Testing

/// `check`, `preview` and `strings` as processes, with string files like those of real apps.
@Suite(.blocking) struct CheckCommandTests {
  private static let example = "\(GatewayFixture.repository)/config"

  @Test func findsEachPlantedFaultAtItsPlace() throws {
    let app = try FaultyApp(isFaulty: true)
    let result = try app.run("check", "--format", "json")
    #expect(result.status == 1)
    let report = try JSON.parse(result.output)
    let found = (report["findings"]?.array ?? []).map { finding in
      let parts = ["rule", "template", "platform", "locale", "key"].compactMap { finding[$0]?.string }
      let file = finding["file"]?.string?.replacing("\(app.folder.path)/", with: "") ?? ""
      return "\(parts.joined(separator: " ")) \(file):\(finding["line"]?.int64 ?? 0)"
    }
    #expect(
      Set(found) == [
        "LiteralOverridesLocKey greeting android title catalog.yaml:11",
        "UnusedParam greeting catalog.yaml:7",
        "FallbackPercent greeting ios TITLE catalog.yaml:8",
        "MissingFallback greeting ios BODY catalog.yaml:9",
        "StringFormatMatches greeting android fr title res/values-fr/strings.xml:2",
        "StringFormatInvalid greeting android fr body res/values-fr/strings.xml:3",
        "PercentWithoutArgs plain android fr plain res/values-fr/strings.xml:4",
        "MissingTranslation large android fr large res/values/strings.xml:5",
        "ForeignPlaceholder greeting android de title res/values-de/strings.xml:2",
        "StringFormatCount greeting android de body res/values-de/strings.xml:3",
        "EmptyValue plain android de plain res/values-de/strings.xml:4",
        "MessageTooLarge large catalog.yaml:15",
        "ResourceShrinker large android large catalog.yaml:17",
        "UnparsableStrings android sv res/values-sv/strings.xml:1",
        "LocaleFolder android res/values-en_GB:0",
        "ForeignPlaceholder greeting ios fr TITLE App/fr.lproj/Localizable.strings:1",
        "MixedPositional greeting ios fr BODY App/fr.lproj/Localizable.strings:2",
        "DuplicateKey plain ios fr PLAIN App/fr.lproj/Localizable.strings:4",
        "ArgOrderChanged greeting ios de BODY App/de.lproj/Localizable.strings:2",
        "WrongTable large ios LARGE App/en.lproj/Push.strings:1",
      ])
    let errors = (report["findings"]?.array ?? []).count { $0["severity"] == "error" }
    #expect(report["summary"] == ["errors": JSON(errors), "warnings": JSON(found.count - errors)])
  }

  @Test func findsNothingInTheCleanApp() throws {
    let result = try FaultyApp(isFaulty: false).run("check", "--strict")
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output == "No findings.\n4 of 4 languages read every template right\n")
  }

  @Test func writesEachFormat() throws {
    let app = try FaultyApp(isFaulty: true)
    let text = try app.run("check")
    #expect(text.status == 1)
    #expect(text.output.contains("error StringFormatMatches title android title [fr]"))
    #expect(!text.output.contains("\u{1B}"))
    #expect(text.output.split(separator: "\n")[1].contains(" causes: 3 crash, "))
    let github = try app.run("check", "--format=github").output.split(separator: "\n")
    #expect(github.count { $0.hasPrefix("::error file=") } == 10)
    #expect(github.count { $0.hasPrefix("error ") } == 2)
    #expect(github.contains { $0.hasPrefix("::warning file=") })
    let sarif = try JSON.parse(try app.run("check", "--format", "sarif").output)
    #expect(sarif["version"] == "2.1.0")
    let results = sarif["runs"]?[0]?["results"]?.array ?? []
    #expect(results.count == 20)
    #expect(results.allSatisfy { $0["message"]?["text"]?.string?.isEmpty == false })
  }

  @Test func warningsFailOnlyWhenRequested() throws {
    let folder = try TemporaryFolder()
    try folder.write("version: 1\ntemplates: {t: {body: {ios: K}}}\n", to: "catalog.yaml")
    let check = ["check", "--catalog", "\(folder.path)/catalog.yaml"]
    #expect(try DragomanProcess.run(check).status == 0)
    #expect(try DragomanProcess.run(check + ["--strict"]).status == 1)
  }

  @Test(arguments: ["", "  sources: [{arb: l10n}]\n"])
  func namesFoldersThatAreMissing(_ sources: String) throws {
    let folder = try TemporaryFolder()
    // Strings are looked for in the folders above, too, and other programs write beside the temporary one.
    try folder.write(#"{"k": "K"}"#, to: "own/push/l10n/app_en.arb")
    try folder.write(
      """
      version: 1
      resources:
        android: app/res
      \(sources)templates: {t: {body: {android: k}}}
      """, to: "own/push/catalog.yaml")
    let catalog = "\(folder.path)/own/push/catalog.yaml"
    let check = try DragomanProcess.run(["check", "--catalog", catalog, "--format", "json"])
    #expect(check.status == 2)
    #expect(check.output.isEmpty)
    #expect(check.errors.contains("\(catalog):3: resources.android names "))
    #expect(check.errors.contains("/app/res, which does not exist. Correct the path"))
    let preview = try DragomanProcess.run(["preview", "t", "--catalog", catalog])
    #expect(preview.status == 2)
    #expect(preview.errors.contains("\(catalog):3: resources.android names "))
  }

  @Test func findsTheCatalogInItsUsualPlaces() throws {
    let folder = try TemporaryFolder()
    let none = try DragomanProcess.run(["preview", "t"], in: folder.path)
    #expect(none.status == 2)
    #expect(
      none.errors.contains(
        "no config/catalog.yaml and no catalog.yaml here; name the catalog with --catalog FILE"))
    try folder.write(
      "version: 1\ntemplates: {b: {body: {ios: K}}, a: {body: {ios: K}}}\n", to: "catalog.yaml")
    #expect(try DragomanProcess.run(["check"], in: folder.path).status == 0)
    #expect(try DragomanProcess.run(["preview", "--list"], in: folder.path).output == "b\na\n")
  }

  @Test func suggestsTheNearestTemplateAndParam() throws {
    let catalog = "\(Self.example)/catalog.yaml"
    let template = try DragomanProcess.run(["preview", "welcom", "--catalog", catalog])
    #expect(template.errors.contains("unknown template welcom; did you mean welcome?"))
    let arg = try DragomanProcess.run([
      "preview", "welcome", "--catalog", catalog, "--args", #"{"nmae": "A"}"#,
    ])
    #expect(arg.errors.contains("args/nmae: the template has no such param; did you mean name?"))
  }

  @Test func checksOnlyWhatIsSelected() throws {
    let app = try FaultyApp(isFaulty: true)
    let german = try app.run("check", "--locale", "de", "--format", "json")
    #expect(german.status == 1)
    let findings = try JSON.parse(german.output)["findings"]?.array ?? []
    #expect(!findings.isEmpty && findings.allSatisfy { $0["locale"] == "de" })
    let one = try JSON.parse(
      try app.run("check", "--template", "pl*", "--template=large", "--format", "json").output)
    #expect(Set(one["findings"]?.array?.compactMap { $0["template"]?.string } ?? []) == ["plain", "large"])
    let unknown = try app.run("check", "--template", "plai")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("no template has this name; did you mean plain?"))
    #expect(try app.run("check", "--locale", "ja").status == 2)
  }

  @Test func reportsAResultThatCannotBeWritten() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "\"$0\" --version >/dev/full", DragomanProcess.executable.path]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
    #expect(text.contains("cannot write the result: No space left on device"))
  }

  @Test func exampleAppIsClean() throws {
    let result = try DragomanProcess.run(["check", "--strict", "--catalog", "\(Self.example)/catalog.yaml"])
    #expect(result.status == 0, "\(result.output)")
  }

  @Test func previewsWithoutArgs() throws {
    let result = try DragomanProcess.run([
      "preview", "new_message", "--catalog", "\(Self.example)/catalog.yaml", "--locale", "en",
    ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("You have 3 new messages from Bob."), "\(result.output)")
  }

  @Test func showsThePreviewAsATable() throws {
    let arguments = [
      "preview", "welcome", "--catalog", "\(Self.example)/catalog.yaml", "--args", #"{"name": "Alice"}"#,
      "--locale",
      "he", "--locale", "fr-CA", "--locale", "zh-TW",
    ]
    let result = try DragomanProcess.run(arguments)
    #expect(result.status == 0)
    #expect(
      result.output.split(separator: "\n").prefix(8) == [
        "Android",
        "  he          title     \u{2068}ברוכים הבאים, Alice!\u{2069}",
        "  fr-CA → fr  title     Bienvenue, Alice!",
        "  zh-TW       title     歡迎，Alice！",
        "iOS",
        "  he               title     \u{2068}ברוכים הבאים, Alice!\u{2069}",
        "  fr-CA → fr       title     Bienvenue, Alice!",
        "  zh-TW → zh-Hant  title     歡迎，Alice！",
      ])
    let json = try JSON.parse(
      try DragomanProcess.run(arguments + ["--format", "json", "--platform", "ios"]).output)
    #expect(json["previews"]?.array?.count == 3)
    #expect(json["message"] != nil)
  }

  @Test func printsStringsAsTheyWereRead() throws {
    let res = "\(Self.example)/example-app/res"
    let json = try JSON.parse(
      try DragomanProcess.run([
        "strings", "--android", res, "--locale", "iw", "--key", "welcome_*", "--format", "json",
      ])
      .output)
    #expect(json["platform"] == "android")
    #expect(json["problems"] == [])
    let entry = json["locales"]?["he"]?["welcome_title"]
    #expect(entry?["kind"] == "string")
    #expect(entry?["text"] == "ברוכים הבאים, %1$s!")
    #expect(entry?["file"] == .string("\(res)/values-iw/strings.xml"))
    #expect(json["locales"]?["he"]?.object?.count == 2)
    let ios = try DragomanProcess.run([
      "strings", "--ios", "\(Self.example)/example-app", "--key", "WELCOME_TITLE",
    ])
    #expect(ios.status == 0)
    #expect(ios.output.contains("Willkommen, %1$@!"))
  }

  @Test(arguments: [
    ["check", "--catalog", "/nowhere.yaml"], ["check", "--format", "xml"], ["check", "extra"], ["preview"],
    ["check", "--catalog", "\(example)/catalog.yaml", "--locale", ""],
    ["check", "--catalog", "\(example)/catalog.yaml", "--locale", "!"],
    ["preview", "nope", "--catalog", "\(example)/catalog.yaml"],
    ["preview", "welcome", "--catalog", "\(example)/catalog.yaml", "--args", "{"],
    ["preview", "welcome", "--catalog", "\(example)/catalog.yaml", "--args", "{}"],
    [
      "preview", "welcome", "--catalog", "\(example)/catalog.yaml", "--args", #"{"name":"A"}"#, "--locale",
      "!",
    ],
    ["strings"], ["strings", "--android", "a", "--ios", "b"], ["strings", "--android", "/nowhere"],
    ["strings", "--android", "\(example)/example-app/res", "--locale", "xx"], ["init", "/nowhere"],
    ["init", "--android", "/nowhere"],
  ])
  func exitsWith2OnIncorrectUsage(_ arguments: [String]) throws {
    let result = try DragomanProcess.run(arguments)
    #expect(result.status == 2, "\(arguments): \(result.output)\(result.errors)")
    #expect(!result.errors.isEmpty || !result.output.isEmpty)
  }
}
