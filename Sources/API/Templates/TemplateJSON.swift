internal import AppStrings
internal import Catalog
internal import CatalogCheck
internal import FCMMessage
internal import JSON
internal import LocaleRules

/// A template as `GET /v1/templates` shows it.
extension Template {
  func json(_ report: CheckReport) -> JSON {
    var object = JSON.Object([("name", .string(name))])
    if let description { object.members.append(("description", .string(description))) }
    let examples = exampleArgs
    object.members.append(("params", .object(.init(params.map { ($0.name, $0.json(examples[$0.name])) }))))
    for slot in slots { object.members.append((slot.name.rawValue, slot.json)) }
    if let activity {
      object.members.append(("live_activity", ["attributes_type": .string(activity.attributesType)]))
    }
    if let fallback { object.members.append(("fallback", fallback.json)) }
    if let render { object.members.append(("render", .string(render.rawValue))) }
    if language != .device { object.members.append(("language", .string(language.rawValue))) }
    if let ttlSeconds { object.members.append(("ttl", .string("\(ttlSeconds)s"))) }
    if let priority { object.members.append(("priority", .string(priority.rawValue))) }
    if let collapseKey { object.members.append(("collapse_key", .string(collapseKey))) }
    if let analyticsLabel { object.members.append(("analytics_label", .string(analyticsLabel))) }
    if let rows = report.releases?[name] { object.members.append(("releases", ReleaseMatrix.json(rows))) }
    object.members.append(("findings", .array(report.findings(of: name).map(\.json))))
    return .object(object)
  }
}

extension LanguageTopic {
  /// The topic of each language: `{"en": "news.en", …}`.
  var json: JSON { .object(.init(languages.map { ($0, .string(topic(of: $0))) })) }
}

extension Param {
  fileprivate func json(_ example: JSON?) -> JSON {
    var object = JSON.Object([("type", .string(type.rawValue)), ("required", .bool(isRequired))])
    if isOptional { object.members.append(("optional", true)) }
    if isIsolated { object.members.append(("bidi", "isolate")) }
    if let description { object.members.append(("description", .string(description))) }
    if let allowed { object.members.append(("enum", .array(allowed.map(\.json)))) }
    if let lengthMax { object.members.append(("max_length", JSON(lengthMax))) }
    if let format { object.members.append(("format", format.json)) }
    if let min { object.members.append(("min", min.json)) }
    if let max { object.members.append(("max", max.json)) }
    if let defaultValue { object.members.append(("default", defaultValue.json)) }
    if let example { object.members.append(("example", example)) }
    return .object(object)
  }
}

extension ValueFormat {
  fileprivate var json: JSON {
    switch self {
    case .number: "number"
    case .percent: "percent"
    case .currency(let code): ["currency": .string(code)]
    case .date(let length), .time(let length), .dateTime(let length): .string(length.rawValue)
    }
  }
}

extension TextSlot {
  fileprivate var json: JSON {
    var object = texts.jsonMembers
    if let plural { object.members.append(("plural", .string(plural.param))) }
    if !variants.isEmpty {
      object.members.append(("variants", .array(variants.map(\.json))))
    }
    return .object(object)
  }
}

extension TextSlot.Texts {
  fileprivate var jsonMembers: JSON.Object {
    JSON.Object(
      AppPlatform.allCases.compactMap { platform in
        self[platform].map { (platform.rawValue, $0.json) }
      })
  }
}

extension TextSlot.Variant {
  fileprivate var json: JSON {
    var object = texts.jsonMembers
    let conditions = conditions.map { (key: $0.param, value: $0.value.json) }
    object.members.insert(("when", .object(.init(conditions))), at: 0)
    return .object(object)
  }
}

extension LocText {
  fileprivate var json: JSON { ["key": .string(key), "args": .array(args.map(JSON.string))] }
}

extension Fallback {
  fileprivate var json: JSON {
    let texts = [("title", title), ("subtitle", subtitle), ("body", body)]
    return .object(.init(texts.compactMap { name, text in text.map { (name, .string($0)) } }))
  }
}
