internal import AppStrings
internal import Catalog
internal import CatalogCheck
internal import FCMMessage
internal import JSON

/// The body of `POST /v1/templates/{template}/preview`.
struct PreviewRequest: Sendable {
  let app: String?
  /// Whether `app` is a string or absent. Otherwise, `app` is nil, and `errors` says why.
  let hasReadableApp: Bool
  /// Nil: examples.
  let args: JSON.Object?
  /// Which phones are previewed.
  let question: PreviewQuestion
  /// The name of a topic by language; nil for phones with any of the app's languages.
  private let topic: String?

  /// The maximum number of locales in a request.
  static let localesMax = 1000

  /// Collects every mistake; throws `APIError` with all of them.
  init(_ value: JSON) throws(APIError) {
    guard let object = value.object else {
      throw .notAnObject("The request for a preview must be an object.", value)
    }
    var reader = RequestReader(
      object: object, pointer: .root,
      fields: [
        "app", "args", "locales", "platforms", "app_version", "render", "time_zone", "app_language", "topic",
      ])
    (app, hasReadableApp) = reader.app()
    args = reader.object("args")
    var question = PreviewQuestion(
      locales: Self.readLocales(&reader), platforms: Self.readPlatforms(&reader),
      appVersion: reader.version("app_version"), render: reader.renderMode(),
      timeZone: reader.timeZone() ?? Recipient.utc)
    question.appLanguages = reader.appLanguages()
    self.question = question
    topic = reader.string("topic")
    let others = [
      ("locales", question.locales != nil), ("render", question.render != nil),
      ("app_language", question.appLanguages != nil),
    ]
    for (name, isGiven) in others where topic != nil && isGiven {
      reader.report(name, .invalid, "A topic by language has its own languages, with texts by the gateway.")
    }
    reader.refuseUnknownFields()
    errors = reader.errors
  }

  /// The question, about the topic of a catalog if the request names one. Throws if the catalog lacks it.
  func question(for catalog: Catalog) throws(APIError) -> PreviewQuestion {
    guard let topic else { return question }
    guard let found = catalog.languageTopic(topic) else {
      let names = catalog.topics.map(\.name)
      let nearest = nearestName(to: topic, among: names).map { "Did you mean \($0)?" }
      let known =
        names.isEmpty ? "The catalog has none." : "The catalog has \(names.joined(separator: ", "))."
      throw .invalid(
        errors + [
          InputError(
            pointer: .root.appending("topic"), code: .unknown,
            detail: "It is not a topic by language. \(nearest ?? known)")
        ])
    }
    return question.about(found)
  }

  let errors: InputErrors

  static func readLocales(_ reader: inout RequestReader) -> [String]? {
    guard let values = reader.array("locales") else { return nil }
    if values.isEmpty { reader.report("locales", .outOfRange, "Name at least one, or omit it for all.") }
    if values.count > localesMax {
      reader.report("locales", .outOfRange, "Name at most \(localesMax).")
    }
    return values.prefix(localesMax).enumerated().compactMap { index, value in
      let pointer = reader.pointer.appending("locales").appending(index)
      guard let text = value.string else {
        reader.errors.append(
          InputError(pointer: pointer, code: .wrongType, detail: "A string is expected, not \(value.kind)."))
        return nil
      }
      guard DeviceStrings.isLocale(text) else {
        reader.errors.append(
          InputError(
            pointer: pointer, code: .invalid,
            detail: "A BCP 47 tag is expected, such as fr or pt-BR; or default, or Base."))
        return nil
      }
      return text
    }
  }

  static func readPlatforms(_ reader: inout RequestReader) -> [AppPlatform] {
    guard let values = reader.array("platforms") else { return AppPlatform.allCases }
    if values.isEmpty {
      reader.report("platforms", .outOfRange, "Name android, ios or both, or omit it for both.")
    }
    var platforms: [AppPlatform] = []
    for (index, value) in values.enumerated() {
      guard let platform = value.string.flatMap(AppPlatform.init(rawValue:)) else {
        let pointer = reader.pointer.appending("platforms").appending(index)
        reader.errors.append(
          InputError(
            pointer: pointer,
            code: value.string == nil ? .wrongType : .invalid, detail: "android or ios is expected."))
        continue
      }
      if !platforms.contains(platform) { platforms.append(platform) }
    }
    return platforms
  }
}
