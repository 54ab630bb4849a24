import AppStrings
import Catalog
import CatalogCheck
import FCMMessage
import JSON

extension Command {
  static let preview = Command(
    name: "preview",
    usage:
      "preview (TEMPLATE | --list) [--catalog FILE] [--args JSON] [--locale L]… [--platform android|ios]… "
      + "[--app-version V] [--render device|gateway|auto] [--app-language L] [--topic T] [--time-zone Z] "
      + "[--format text|json]",
    summary: "Shows what each user's phone would display, and the message itself.",
    options: [
      catalogOption,
      (
        .value("args"),
        "the template's args as a JSON object; the catalog's examples or sample values by default"
      ),
      (
        .list("locale"),
        "a BCP 47 tag such as fr-CA, or a user's languages in order, such as ja,fr; repeatable; all locales of "
          + "the resources by default"
      ),
      (.list("platform"), "android or ios; both by default"),
      (.value("app-version"), "the release of the app, such as 4.1.0; none in particular by default"),
      (
        .value("render"),
        "who renders the texts: device, gateway or auto; what the template says, or auto, by default"
      ),
      (
        .value("app-language"),
        "the language that the user has chosen in the app, such as fr, or several in order; the phone's by default"
      ),
      (.value("topic"), "a topic by language; shows what the readers of each of its languages get"),
      (
        .value("time-zone"),
        "the time zone in which times are written, such as America/Toronto; UTC by default"
      ),
      (.value("format"), "text or json; text by default"),
      (.flag("list"), "prints the names of the templates, and nothing else"),
    ],
    positionalsMax: 1
  ) { options in
    let format = try options.choice("format", of: ["text", "json"])
    if options.has("list") {
      let names = try Catalog.names(file: options.catalogFile())
      Output.print(names.joined(separator: "\n"))
      return .success
    }
    guard let name = options.positionals.first else {
      throw UsageError(message: "missing argument; name the template, or use --list to see them all")
    }
    let given = try options.args()
    var question = PreviewQuestion(
      locales: options.has("locale") ? options.all("locale") : nil, platforms: try options.platforms())
    question.appVersion = try options.version()
    question.render = try options.renderMode()
    question.timeZone = try options.timeZone()
    for locale in options.all("locale") where !DeviceStrings.isLocaleList(locale) {
      throw UsageError(
        message:
          "--locale \(locale): must be a BCP 47 tag such as fr-CA, a list such as ja,fr, default or Base")
    }
    question.appLanguages = try options.appLanguages()
    let progress = ProgressLine("reading string resources")
    defer { progress.finish() }
    let app = try AppCatalog.load(file: options.catalogFile())
    let catalog = app.catalog
    guard let template = catalog.template(name) else {
      let names = catalog.templates.map(\.name)
      let nearest = nearestName(to: name, among: names).map { "; did you mean \($0)?" }
      throw UsageError(
        message:
          "unknown template \(name)\(nearest ?? "; the templates are \(names.joined(separator: ", "))")")
    }
    if options.has("topic") { question = question.about(try options.topic(of: catalog)) }
    guard let resources = app.resources else {
      throw UsageError(
        message:
          "\(catalog.file ?? "the catalog") has no string resources; add resources: {android: …, ios: …}")
    }
    if let problem = question.platforms.lazy.compactMap({ app.unreadable($0) }).first {
      throw UsageError(message: problem)
    }
    let only = catalog.only(template)
    let releases = question.appVersion == nil ? AppReleases() : AppReleases(of: only)
    let report = Check(only, against: resources, releases: releases).report()
    let preview: TemplatePreview
    do throws(AssemblyError) {
      preview = try TemplatePreview(
        of: template, args: given, question, texts: RecipientTexts(resources, support: report.support),
        findings: report.findings(of: name))
    } catch {
      throw UsageError(message: error.explanation)
    }
    progress.finish()
    if format == "json" {
      Output.print(preview.json.prettyPrinted)
    } else {
      Output.print(preview.text(Terminal.style))
    }
    return .success
  }
}

extension Options {
  /// The members of `--args`; nil if it is not given.
  func args() throws(UsageError) -> JSON.Object? {
    guard let text = self["args"] else { return nil }
    let args: JSON
    do throws(JSONParseError) {
      args = try JSON.parse(text)
    } catch {
      throw UsageError(message: "--args is not valid JSON: \(error)")
    }
    guard let object = args.object else {
      throw UsageError(message: "--args is not a JSON object; write it as '{\"PARAM\": VALUE}'")
    }
    return object
  }

  /// The value of `--app-version`; nil if it is not given.
  func version() throws(UsageError) -> ReleaseVersion? {
    guard let text = self["app-version"] else { return nil }
    guard let version = ReleaseVersion(text) else {
      throw UsageError(
        message: "--app-version \(text): must be a version that begins with a number, such as 4.1.0")
    }
    return version
  }

  /// The languages of `--app-language`; nil if it is not given.
  func appLanguages() throws(UsageError) -> [String]? {
    guard let text = self["app-language"] else { return nil }
    let languages = DeviceStrings.languages(in: text)
    guard languages.allSatisfy({ LocaleTag($0) != nil }) else {
      throw UsageError(
        message: "--app-language \(text): must be a BCP 47 tag such as fr-CA, or a list such as ja,fr")
    }
    return languages
  }

  /// The topic that `--topic` names.
  fileprivate func topic(of catalog: Catalog) throws(UsageError) -> LanguageTopic {
    for other in ["locale", "app-language", "render"] where has(other) {
      throw UsageError(
        message: "--\(other) does not go with --topic: a topic by language has its own languages, with texts "
          + "by the gateway")
    }
    let name = self["topic"] ?? ""
    guard let topic = catalog.languageTopic(name) else {
      let names = catalog.topics.map(\.name)
      let nearest = nearestName(to: name, among: names).map { "; did you mean \($0)?" }
      let known =
        names.isEmpty ? "; the catalog has none" : "; the catalog has \(names.joined(separator: ", "))"
      throw UsageError(message: "--topic \(name): not a topic by language\(nearest ?? known)")
    }
    return topic
  }

  /// The value of `--time-zone`.
  func timeZone() throws(UsageError) -> String {
    let name = self["time-zone"] ?? Recipient.utc
    guard Recipient.isTimeZone(name) else {
      throw UsageError(
        message: "--time-zone \(name): must be the IANA name of a time zone, such as America/Toronto")
    }
    return name
  }

  /// The value of `--render`; nil if it is not given.
  func renderMode() throws(UsageError) -> RenderMode? {
    guard has("render") else { return nil }
    return try RenderMode(rawValue: choice("render", of: RenderMode.allCases.map(\.rawValue)))
  }

  fileprivate func platforms() throws(UsageError) -> [AppPlatform] {
    guard has("platform") else { return AppPlatform.allCases }
    var platforms: [AppPlatform] = []
    for text in all("platform") {
      guard let platform = AppPlatform(rawValue: text) else {
        throw UsageError(message: "--platform \(text): must be android or ios")
      }
      if !platforms.contains(platform) { platforms.append(platform) }
    }
    return platforms
  }
}

extension AssemblyError {
  /// All errors, for a person at a terminal.
  fileprivate var explanation: String {
    switch code {
    case .unknownTemplate: "the catalog has no such template"
    case .invalidRequest:
      inputErrors.map { "\($0.pointer.description.dropFirst()): \($0.detail)" }.joined(separator: "\n  ")
    case .messageTooLarge:
      "the message would have \(byteCount) bytes, \(byteCount - SealedMessage.byteCountMax) more than "
        + "FCM's limit of \(SealedMessage.byteCountMax)"
    }
  }
}
