internal import AppStrings
internal import Catalog
internal import JSON

/// The fields that say for whom a message is. What they hold is about people, so no mistake repeats it.
extension RequestReader {
  /// `recipient`; nil if it is absent.
  mutating func recipient() -> Recipient? {
    guard let object = object("recipient") else { return nil }
    var reader = RequestReader(
      object: object, pointer: pointer, member: "recipient",
      fields: ["platform", "app_version", "locale", "time_zone"])
    let recipient = Recipient(
      platform: reader.choice("platform"), appVersion: reader.version("app_version"),
      locales: reader.locales("locale"), timeZone: reader.timeZone() ?? Recipient.utc)
    reader.refuseUnknownFields()
    errors += reader.errors
    return recipient
  }

  /// `render`; nil if it is absent.
  mutating func renderMode() -> RenderMode? { choice("render") }

  /// A version of an app.
  mutating func version(_ name: String) -> ReleaseVersion? {
    guard let text = string(name) else { return nil }
    let version = ReleaseVersion(text)
    if version == nil {
      report(
        name, .invalid,
        "A version that begins with a number is expected, such as 4.1.0, of at most \(ReleaseVersion.bytesMax) bytes."
      )
    }
    return version
  }

  /// `time_zone`; nil if it is absent.
  mutating func timeZone() -> String? {
    guard let name = string("time_zone") else { return nil }
    guard Recipient.isTimeZone(name) else {
      report("time_zone", .invalid, "The IANA name of a time zone is expected, such as America/Toronto.")
      return nil
    }
    return name
  }

  /// `app_language`: the languages that a reader has chosen in the app; nil if it is absent.
  mutating func appLanguages() -> [String]? { has("app_language") ? locales("app_language") : nil }

  /// A tag, or a list of them in the user's order.
  private mutating func locales(_ name: String) -> [String] {
    guard let value = any(name) else { return [] }
    if let text = value.string { return locale(text, at: pointer.appending(name)).map { [$0] } ?? [] }
    guard let values = value.array else {
      report(name, .wrongType, "A BCP 47 tag or a list of them is expected, not \(value.kind).")
      return []
    }
    guard (1...Recipient.localesMax).contains(values.count) else {
      report(name, .outOfRange, "1 to \(Recipient.localesMax) tags are expected, not \(values.count).")
      return []
    }
    return values.enumerated().compactMap { index, value in
      let place = pointer.appending(name).appending(index)
      guard let text = value.string else {
        errors.append(
          InputError(pointer: place, code: .wrongType, detail: "A string is expected, not \(value.kind)."))
        return nil
      }
      return locale(text, at: place)
    }
  }

  private mutating func locale(_ text: String, at place: JSONPointer) -> String? {
    guard text.utf8.count <= Self.localeBytesMax, let tag = LocaleTag(text) else {
      errors.append(
        InputError(
          pointer: place, code: .invalid,
          detail: "A BCP 47 tag of at most \(Self.localeBytesMax) bytes is expected, such as fr-CA."))
      return nil
    }
    return tag.description
  }

  /// The maximum size of a tag, in bytes. BCP 47 §4.4.1 recommends room for 35 characters.
  private static let localeBytesMax = 100

  private mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String) -> Choice? {
    guard let text = string(name) else { return nil }
    let choice = Choice.allCases.first { $0.rawValue.hasSameBytes(as: text) }
    if choice == nil {
      let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      report(name, .invalid, "One of \(names) is expected.")
    }
    return choice
  }
}
