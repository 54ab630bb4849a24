internal import Catalog
internal import Clock
internal import FCMMessage
internal import JSON

/// `live_activity` of a request.
extension ActivityRequest {
  /// Reads the field `live_activity`, and reports its mistakes; nil if it is absent or has any.
  init?(_ reader: inout RequestReader) {
    guard let object = reader.object("live_activity") else { return nil }
    var inner = RequestReader(
      object: object, pointer: reader.pointer, member: "live_activity",
      fields: ["token", "event", "stale_date", "dismissal_date", "relevance_score"])
    defer { reader.errors += inner.errors }
    let token = inner.requiredString("token")
    if let token, let problem = MessageRules.activityTokenProblem(token) {
      inner.report("token", .invalid, problem)
    }
    let name = inner.requiredString("event")
    let event = name.flatMap { name in ActivityEvent.allCases.first { $0.rawValue.hasSameBytes(as: name) } }
    if name != nil, event == nil { inner.report("event", .invalid, "start, update or end is expected.") }
    let staleDate = Self.date("stale_date", &inner)
    let dismissalDate = Self.date("dismissal_date", &inner)
    let score = inner.number("relevance_score")
    if let score, score.double == nil {
      inner.report("relevance_score", .outOfRange, "It must be a finite double.")
    }
    if let event { Self.refuse(object, of: event, &inner) }
    inner.refuseUnknownFields()
    guard inner.errors.isEmpty, let token, let event else { return nil }
    self.init(
      token: token, event: event, staleDate: staleDate, dismissalDate: dismissalDate, relevanceScore: score)
  }

  /// In UNIX seconds.
  private static func date(_ name: String, _ reader: inout RequestReader) -> Int64? {
    guard let time = reader.time(name) else { return nil }
    guard time.milliseconds >= 0 else {
      reader.report(name, .outOfRange, "It must not be before 1970.")
      return nil
    }
    return time.unixSeconds
  }

  /// Reports what Apple's systems take from other events only.
  private static func refuse(_ object: JSON.Object, of event: ActivityEvent, _ reader: inout RequestReader) {
    if event != .end, object["dismissal_date"] != nil {
      reader.report("dismissal_date", .invalid, "It is only for the event end.")
    }
    for name in ["stale_date", "relevance_score"] where event == .end && object[name] != nil {
      reader.report(name, .invalid, "It is only for the events start and update.")
    }
  }
}

extension NotificationRequest {
  /// The mistakes in the request, with those that the kind of its template makes of its fields.
  func errors(for template: Template, at pointer: JSONPointer) -> InputErrors {
    guard template.activity != nil || hasActivity else { return errors }
    var errors = errors
    func report(_ name: String, _ code: InputError.Code, _ detail: String) {
      errors.append(InputError(pointer: pointer.appending(name), code: code, detail: detail))
    }
    guard template.activity != nil else {
      report(
        "live_activity", .invalid, "The template is not for Live Activities; its catalog says which are.")
      return errors
    }
    if !hasActivity {
      report("live_activity", .missing, "It is required: the template is for Live Activities.")
    }
    if !targets.isEmpty, !hasOneRegistration {
      report("to", .invalid, "A Live Activity is on one phone: token or fid is expected.")
    }
    if collapseKey != nil {
      report(
        "collapse_key", .invalid,
        "Messages to a Live Activity are not collapsed by a key; a newer one replaces those that wait.")
    }
    return errors
  }
}
