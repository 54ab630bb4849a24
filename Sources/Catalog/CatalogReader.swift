internal import FCMMessage
internal import JSON
internal import YAML

/// Reads a catalog's tree into templates and reports all problems to `problems`.
struct CatalogReader {
  enum Field: String, CaseIterable {
    case version, resources, releases, plurals, language, topics, defaults, templates, ignore
  }

  enum ResourcesField: String, CaseIterable {
    case android, ios, sources, locales, strict
    case developmentLanguage = "development_language"
  }

  enum IgnoreField: String, CaseIterable {
    case rule, locale, key, template, reason
  }

  /// The settings that both `defaults` and a template may have.
  struct Level {
    var ttlSeconds: Int?
    var priority: MessagePriority?
    var collapseKey: String?
    var analyticsLabel: String?
    var hasDeviceIdentity: Bool?
    var bidi = CatalogReader.BidiMode.none
    /// The param that holds `android.ttl`.
    var ttlParam: ParamReference?
    /// Whether only a message that has texts for browsers has a notification for them.
    var hidesWebNotification = false
    var overlay: Overlay
  }

  let problems: ProblemCollector
  /// The folder of the catalog file, to which its paths are relative.
  let folder: String
  /// The languages that plurals must suit.
  var languages: PluralLanguages?
  /// The language of the readers of templates that do not say it.
  var readerLanguage = ReaderLanguage.device
  /// The keys of sources that slots name; nil without sources.
  var sourceKeys: SourceKeys?
  /// The params of the template that is read whose definitions have a mistake, which alone is reported.
  var undefinedParams: Set<ExactText> = []

  func catalog(
    _ root: YAMLNode, languagesOf: @escaping Catalog.LanguageSource, shapesOf: Catalog.SourceShapes
  ) -> Catalog? {
    guard let fields = YAMLField(node: root, problems: problems).fields(Field.self) else { return nil }
    if let version = fields.required(.version), let number = version.integer(), number != 1 {
      version.report("unsupported version; this Dragoman reads only version 1")
    }
    let defaults = fields[.defaults].map(readDefaults) ?? Level(overlay: Overlay(at: root))
    let resources = fields[.resources].flatMap(readResources)
    let languages = PluralLanguages(
      listed: fields[.plurals].flatMap(readPluralLanguages), resources: resources, languagesOf: languagesOf)
    var reader = self
    reader.languages = languages
    reader.readerLanguage = fields[.language]?.choice() ?? .device
    reader.sourceKeys = resources.flatMap { $0.sources.isEmpty ? nil : SourceKeys(shapesOf($0)) }
    var templates: [Template] = []
    for entry in fields.required(.templates)?.entries() ?? [] {
      if let problem = nameProblem(entry.name) { entry.key.report(problem) }
      if let template = reader.readTemplate(entry.name, entry.key, entry.value, defaults) {
        templates.append(template)
      }
    }
    let ignored = fields[.ignore]?.elements()?.compactMap { readIgnore($0, templates: templates) } ?? []
    return Catalog(
      file: problems.file, resources: resources, pluralLanguages: languages.listed, templates: templates,
      ignored: ignored, releases: fields[.releases].map(readReleases) ?? .none,
      topics: fields[.topics].map { readTopics($0, languages) } ?? [],
      appLanguageLine: reader.readerLanguage == .app ? fields[.language]?.node.line : nil)
  }

  private func readResources(_ field: YAMLField) -> Catalog.Resources? {
    guard let fields = field.fields(ResourcesField.self) else { return nil }
    return Catalog.Resources(
      android: fields[.android].flatMap { readLocation($0, AndroidLocationField.self) },
      ios: fields[.ios].flatMap { readLocation($0, IOSLocationField.self) },
      developmentLanguage: fields[.developmentLanguage].flatMap(readDevelopmentLanguage),
      sources: fields[.sources].map(readSources) ?? [],
      locales: fields[.locales].map(readLanguages),
      isStrict: fields[.strict]?.bool() ?? false)
  }

  /// A tag, or the name of a `.lproj` folder in the style of old projects.
  private func readDevelopmentLanguage(_ field: YAMLField) -> String? {
    guard let language = field.nonEmptyString() else { return nil }
    if !Self.isLanguageTag(language), !Self.oldLanguageNames.contains(language) {
      field.report("must be a BCP 47 tag such as en or pt-BR")
    }
    return language
  }

  /// Names of `.lproj` folders before there were tags (Apple, "Language and Locale IDs").
  private static let oldLanguageNames = [
    "English", "French", "German", "Italian", "Dutch", "Spanish", "Japanese",
  ]

  func resolved(_ path: String) -> String {
    path.hasPrefix("/") || folder.isEmpty ? path : folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
  }

  private func readIgnore(_ field: YAMLField, templates: [Template]) -> Catalog.IgnoreRule? {
    guard let fields = field.fields(IgnoreField.self) else { return nil }
    let template = fields[.template]?.string()
    if let template, !templates.contains(where: { $0.name.hasSameBytes(as: template) }) {
      fields[.template]?.report(
        "unknown template", suggestion: nearestName(to: template, among: templates.map(\.name)))
    }
    guard let rule = fields.required(.rule)?.choice(CheckRule.self),
      let reason = fields.required(.reason)?.nonEmptyString()
    else { return nil }
    return Catalog.IgnoreRule(
      rule: rule, locale: fields[.locale]?.nonEmptyString(), key: fields[.key]?.nonEmptyString(),
      template: template, reason: reason, line: field.node.line)
  }

  /// Why `name` cannot be the name of a template or param; nil if it can.
  func nameProblem(_ name: String) -> String? {
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isPlain, (1...Catalog.nameBytesMax).contains(name.utf8.count) else {
      return "a name must be 1 to \(Catalog.nameBytesMax) letters (a-z, A-Z), digits, \"_\", \".\" or \"-\""
    }
    return nil
  }
}

extension CatalogReader {
  enum DefaultsField: String, CaseIterable {
    case ttl, priority, data, android, apns, webpush, notification, bidi
    case analyticsLabel = "analytics_label"
    case deviceIdentity = "device_identity"
    case fcmOptions = "fcm_options"
    case androidV2 = "android_v2"
  }

  func readDefaults(_ field: YAMLField) -> Level {
    var level = Level(overlay: Overlay(at: field.node))
    guard let fields = field.fields(DefaultsField.self) else { return level }
    level.ttlSeconds = fields[.ttl].flatMap(readTTL)
    level.priority = fields[.priority]?.choice()
    level.analyticsLabel = fields[.analyticsLabel].flatMap(readAnalyticsLabel)
    level.hasDeviceIdentity = fields[.deviceIdentity]?.bool()
    level.bidi = fields[.bidi]?.choice() ?? .none
    level.overlay = readOverlay(
      of: field,
      [
        ("data", fields[.data]), ("notification", fields[.notification]), ("android", fields[.android]),
        ("android_v2", fields[.androidV2]), ("apns", fields[.apns]), ("webpush", fields[.webpush]),
        ("fcm_options", fields[.fcmOptions]),
      ])
    takeTTL(from: &level, ttlField: fields[.ttl], path: field.path)
    return level
  }

  func readTTL(_ field: YAMLField) -> Int? { field.seconds(in: 0...MessageRules.ttlSecondsMax) }

  func readAnalyticsLabel(_ field: YAMLField) -> String? {
    guard let label = field.string() else { return nil }
    if let problem = MessageRules.analyticsLabelProblem(label) { field.report(problem) }
    return label
  }

  /// Reads FCM fields and checks them against FCM's schema and rules.
  func readOverlay(of owner: YAMLField, _ members: [(name: String, field: YAMLField?)]) -> Overlay {
    var overlay = Overlay(at: owner.node)
    var written = YAMLNode(.mapping([]), line: owner.node.line, column: owner.node.column)
    for (name, field) in members {
      guard let field else { continue }
      refuseNotFinite(field)
      refuseShapes(field) { MessageSchema.valueType(at: [.key(name)] + $0) }
      let node = field.node.withoutReferences(at: [.key(name)], typeAt: MessageSchema.valueType)
      if let node { written.set(node, at: [name]) }
      overlay.add(name, field)
    }
    let json = JSON(written)
    let violations =
      MessageSchema.violations(in: json, of: .message)
      + MessageRules.violations(in: json, of: .message, isPartial: true)
    for violation in violations { report(violation, path: violation.path[...], in: written, owner) }
    return overlay
  }

  /// Rejects infinities and NaN, which JSON does not have.
  private func refuseNotFinite(_ field: YAMLField) {
    _ = field.node.mapScalars(at: field.path) { scalar, node, path in
      if scalar.value == .notFinite {
        problems.report("must be a finite number", at: node, path: path)
      }
      return node
    }
  }

  /// Reports a violation at the nearest enclosing location in the file.
  func report(
    _ violation: MessageViolation, path: ArraySlice<PathStep>, in tree: YAMLNode, _ owner: YAMLField
  ) {
    var node = tree
    var place = owner.path
    var position = 0
    walk: for step in path {
      switch step {
      case .key(let key):
        guard let entry = node.mapping?.first(where: { $0.key.scalar?.text.hasSameBytes(as: key) ?? false })
        else { break walk }
        position += 1
        node = violation.kind == .unknownField && position == path.count ? entry.key : entry.value
        place = place.appending(key)
      case .index(let index):
        guard let nodes = node.sequence, nodes.indices.contains(index) else { break walk }
        position += 1
        node = nodes[index]
        place = place.appending(index)
      }
    }
    let message = violation.kind == .unknownField ? "unknown field" : violation.reason
    let isKnown = problems.problems.contains {
      $0.line == node.line && $0.column == node.column && $0.message.hasSameBytes(as: message)
    }
    if !isKnown { problems.report(message, at: node, path: place, suggestion: violation.suggestion) }
  }

  /// Moves `android.ttl` to the setting `ttl`, which means the same. FCM gets what is left of it, so it
  /// cannot remain a constant.
  func takeTTL(from level: inout Level, ttlField: YAMLField?, path: FieldPath) {
    for form in AndroidForm.allCases {
      guard let node = level.overlay[form.name, "ttl"], !node.isNull,
        node.scalar != nil || node.isParamReference
      else { continue }
      if ttlField != nil {
        problems.report(
          "set twice, here and by ttl; remove this one", at: node,
          path: path.appending(form.name).appending("ttl"))
      }
      level.ttlParam = node.paramName.map { name in
        ParamReference(name: name, node: node, path: [.key(form.name), .key("ttl")])
      }
      level.ttlSeconds =
        level.ttlSeconds ?? node.scalar.flatMap { MessageRules.ttlSeconds(googleDuration: $0.text) }
      level.overlay.remove(form.name, "ttl")
    }
  }
}
