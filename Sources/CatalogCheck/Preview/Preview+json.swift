internal import AppStrings
internal import Catalog
internal import FCMMessage
package import JSON

extension Preview {
  /// `{"platform","locale","topic"?,"app_name"?,"app_icon"?,"resolved_locale","rendered_by","verdict",
  /// "title":{…},"subtitle":{…},"body":{…},"findings":[…]}`.
  package var json: JSON {
    var object = JSON.Object([
      ("platform", .string(platform.rawValue)), ("locale", .string(locale)),
    ])
    if let topic { object.members.append(("topic", .string(topic))) }
    if let appName { object.members.append(("app_name", .string(appName))) }
    if let appIcon { object.members.append(("app_icon", .string(appIcon))) }
    object.members += [
      ("resolved_locale", resolvedLocale.map(JSON.string) ?? .null),
      ("rendered_by", .string(renderedBy.rawValue)), ("verdict", .string(verdict.rawValue)),
    ]
    for slot in slots { object.members.append((slot.name.rawValue, slot.json)) }
    object.members.append(("findings", .array(findings.map(\.json))))
    return .object(object)
  }
}

extension Preview.Slot {
  /// `outcome` is always present, other members only if they have a value.
  fileprivate var json: JSON {
    var object = JSON.Object([("outcome", .string(outcome.name))])
    func add(_ name: String, _ text: String?) {
      if let text { object.members.append((name, .string(text))) }
    }
    switch outcome {
    case .text(let text): add("text", text)
    case .rawKey: add("text", key)
    case .dropped(let reason), .unknownText(let reason): add("reason", reason)
    case .crash(let exception, let reason):
      add("exception", exception)
      add("reason", reason)
    case .none: break
    }
    if let shown = shownCharacters {
      object.members.append(("shown_characters", JSON(shown)))
    }
    add("documented", documented)
    add("key", key)
    add("file", file)
    if let line { object.members.append(("line", JSON(line))) }
    return .object(object)
  }
}

extension SlotOutcome {
  /// The outcome's name in the API.
  package var name: String {
    switch self {
    // The phone shows a text, although nobody else knows which.
    case .text, .unknownText: "text"
    case .dropped: "dropped"
    case .rawKey: "raw_key"
    case .crash: "crash"
    case .none: "none"
    }
  }
}
