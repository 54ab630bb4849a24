import AppStrings
import Catalog
import CatalogCheck
import FCMMessage
import JSON

extension Command {
  static let preview = Command(
    name: "preview",
    usage:
      "preview TEMPLATE [--catalog FILE] [--args JSON] [--locale L]… [--platform android|ios]… "
      + "[--format text|json]",
    summary: "Shows what each user's phone would display, and the message itself.",
    options: [
      (.value("catalog"), "the catalog; \(defaultCatalog) by default"),
      (
        .value("args"),
        "the template's args as a JSON object; the catalog's examples or made-up ones by default"
      ),
      (
        .list("locale"),
        "a BCP 47 tag such as fr-CA, or a user's languages in order, such as ja,fr; repeatable; all locales of "
          + "the resources by default"
      ),
      (.list("platform"), "android or ios; both by default"),
      (.value("format"), "text or json; text by default"),
    ],
    positionalsMax: 1
  ) { options in
    let format = try options.choice("format", of: ["text", "json"])
    guard let name = options.positionals.first else {
      throw UsageError(message: "missing argument; name the template")
    }
    let given = try options.args()
    let platforms = try options.platforms()
    for locale in options.all("locale") where !DeviceStrings.isLocaleList(locale) {
      throw UsageError(
        message:
          "--locale \(locale): must be a BCP 47 tag such as fr-CA, a list such as ja,fr, default or Base")
    }
    let progress = ProgressLine("reading string resources")
    defer { progress.finish() }
    let app = try AppCatalog.load(file: options["catalog"] ?? defaultCatalog)
    let catalog = app.catalog
    guard let template = catalog.template(name) else {
      let names = catalog.templates.map(\.name)
      let nearest = nearestName(to: name, among: names).map { "; did you mean \($0)?" }
      throw UsageError(
        message:
          "unknown template \(name)\(nearest ?? "; the templates are \(names.joined(separator: ", "))")")
    }
    guard let resources = app.resources else {
      throw UsageError(
        message:
          "\(catalog.file ?? "the catalog") has no string resources; add resources: {android: …, ios: …}")
    }
    let findings = Check(catalog.only(template), against: resources).report().findings(of: name)
    let preview: TemplatePreview
    do throws(AssemblyError) {
      preview = try TemplatePreview(
        of: name, args: given.map { $0.object ?? .init() } ?? template.exampleArgs,
        locales: options.has("locale") ? options.all("locale") : nil,
        platforms: platforms, catalog: catalog, resources: resources, findings: findings)
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
  /// The value of `--args` as JSON; nil if it is not given.
  func args() throws(UsageError) -> JSON? {
    guard let text = self["args"] else { return nil }
    do throws(JSONParseError) {
      return try JSON.parse(text)
    } catch {
      throw UsageError(message: "--args is not valid JSON: \(error)")
    }
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
