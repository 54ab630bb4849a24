internal import FCMMessage
internal import JSON
internal import YAML

extension CatalogReader {
  enum ActivityField: String, CaseIterable {
    case attributes
    case attributesType = "attributes_type"
    case contentState = "content_state"
  }

  /// `live_activity` of a template as it was read.
  struct Activity {
    let template: ActivityTemplate
    let attributes: ValueTree
    let contentState: ValueTree

    /// The names of the params that stand in it.
    func paramNames(_ params: [Param]) -> [String] {
      (attributes.params + contentState.params).filter(params.indices.contains).map { params[$0].name }
    }
  }

  func readActivity(_ field: YAMLField, params: [Param]) -> Activity? {
    guard let fields = field.fields(ActivityField.self) else { return nil }
    let type = fields.required(.attributesType)?.nonEmptyString()
    let contentState = fields.required(.contentState).flatMap { readObject($0, params) }
    let attributes = fields[.attributes].map { readObject($0, params) } ?? .constant([:])
    guard let type, let contentState, let attributes else { return nil }
    return Activity(
      template: ActivityTemplate(attributesType: type), attributes: attributes, contentState: contentState)
  }

  private func readObject(_ field: YAMLField, _ params: [Param]) -> ValueTree? {
    guard field.node.mapping != nil, !field.node.isParamReference else {
      field.report("must be an object")
      return nil
    }
    return readTree(field, params: params) ?? .constant([:])
  }

  /// Reports what a template of a Live Activity cannot have: it reaches iPhones only, and the request and
  /// `live_activity` set the keys of the activity itself.
  func refuseForActivity(
    _ fields: YAMLFields<TemplateField>, _ own: Overlay, slots: [TextSlot], at path: FieldPath
  ) {
    for field in [fields[.android], fields[.webpush]] {
      field?.report("a Live Activity reaches only iPhones; remove it")
    }
    fields[.subtitle]?.report("the alert of a Live Activity has no subtitle; use title or body")
    fields[.collapseKey]?.report(
      "messages to a Live Activity are not collapsed by a key; a newer one replaces those that wait")
    let slotFields: [(TextSlot.Name, YAMLField?)] = [(.title, fields[.title]), (.body, fields[.body])]
    for slot in slots where !slot.allTexts(on: .android).isEmpty {
      slotFields.first { $0.0 == slot.name }?.1?.report(
        "Android has no Live Activities; name only an ios key")
    }
    refuseActivityKeys(own, at: path)
  }

  private func refuseActivityKeys(_ own: Overlay, at path: FieldPath) {
    let apns = path.appending("apns")
    if let node = own["apns", "headers", "apns-collapse-id"], !node.isNull {
      problems.report(
        "messages to a Live Activity are not collapsed; remove it", at: node,
        path: apns.appending("headers").appending("apns-collapse-id"))
    }
    let place = apns.appending("payload").appending("aps")
    for entry in own["apns", "payload", "aps"]?.mapping ?? [] {
      guard let key = entry.key.scalar?.text else { continue }
      if ["timestamp", "event", "stale-date", "dismissal-date"].contains(key) {
        problems.report("set by each request; remove it", at: entry.key, path: place.appending(key))
      } else if ["content-state", "attributes-type", "attributes"].contains(key) {
        problems.report(
          "set by live_activity; put its value there", at: entry.key, path: place.appending(key))
      } else if !Self.activityKeys.contains(key) {
        problems.report(
          "has no effect on a Live Activity; a sound belongs in alert", at: entry.key,
          path: place.appending(key))
      }
    }
    guard let alert = own["apns", "payload", "aps", "alert"], !alert.isNull else { return }
    guard alert.mapping != nil, !alert.isParamReference else {
      return problems.report(
        "must be an object with title, body or sound", at: alert, path: place.appending("alert"))
    }
    for entry in alert.mapping ?? [] {
      guard let key = entry.key.scalar?.text, !["title", "body", "sound"].contains(key) else { continue }
      problems.report(
        "the alert of a Live Activity has only title, body and sound; write a loc key as "
          + "title: {loc-key: K, loc-args: […]}",
        at: entry.key, path: place.appending("alert").appending(key))
    }
  }

  /// The keys of `aps` that a template of a Live Activity may set.
  private static let activityKeys = [
    "alert", "relevance-score", "input-push-token", "input-push-channel",
  ]

  /// The fields of `defaults` that messages to Live Activities have as well.
  func defaultsForActivity(_ defaults: Level) -> Level {
    var level = defaults
    level.priority = nil
    level.overlay.remove("android")
    level.overlay.remove("webpush")
    level.overlay.remove("apns", "payload", "aps")
    for name in ["apns-priority", "apns-collapse-id", "apns-push-type", "apns-topic"] {
      level.overlay.remove("apns", "headers", name)
    }
    return level
  }

  /// Reports a token in the catalog: each request has its own.
  func refuseActivityToken(_ overlay: Overlay, at path: FieldPath) {
    guard let node = overlay["apns", "live_activity_token"], !node.isNull else { return }
    problems.report(
      "each request has the token of its Live Activity; use live_activity, and remove this one", at: node,
      path: path.appending("apns").appending("live_activity_token"))
  }

  /// Reports a loc key in FCM's fields that stands where a slot has its own.
  func refuseAlertConflicts(_ overlay: Overlay, slots: [TextSlot], at path: FieldPath) {
    let alert = path.appending("apns").appending("payload").appending("aps").appending("alert")
    for slot in slots where !slot.allTexts(on: .ios).isEmpty {
      guard let node = overlay["apns", "payload", "aps", "alert", slot.name.rawValue], !node.isNull else {
        continue
      }
      problems.report(
        "already set by the slot \(slot.name.rawValue)", at: node, path: alert.appending(slot.name.rawValue))
    }
  }
}

extension ValueTree {
  /// The indices of the params that stand in it.
  var params: [Int] {
    switch self {
    case .constant: []
    case .param(let use): [use.param]
    case .object(let members): members.flatMap(\.value.params)
    case .list(let elements): elements.flatMap(\.params)
    }
  }
}
