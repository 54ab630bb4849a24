internal import AppStrings
package import Catalog
internal import FCMMessage
package import JSON
internal import Synchronization

/// Looks at the texts of messages that were given as a whole, with the rules of `check`. What it finds
/// depends only on the keys and the number of their args, and is found once.
package final class RawMessageCheck: Sendable {
  /// One text of a message, as far as the rules look at it.
  package struct Text: Hashable, Sendable {
    let platform: AppPlatform
    let slot: TextSlot.Name
    /// Nil for a literal text.
    let key: ExactText?
    let argCount: Int
    let hasLiteral: Bool

    /// The field of FCM's `Message` that names the text.
    package var field: String {
      let place =
        platform == .android ? "message.android.notification" : "message.apns.payload.aps.alert"
      guard key != nil else { return "\(place).\(slot.rawValue)" }
      return platform == .android
        ? "\(place).\(slot.rawValue)_loc_key" : "\(place).\(slot == .body ? "" : "\(slot.rawValue)-")loc-key"
    }
  }

  /// Keys that are looked up before everything is forgotten: they come from outside.
  private static let textsMax = 4_096
  /// A key beyond this length is no name of a string, and is not kept.
  private static let keyBytesMax = 256

  private struct Rules: Sendable {
    var keys: KeyChecks
    let reading: ReadingFindings
    var count = 0
  }

  private let resources: AppResources?
  private let catalog: Catalog
  private let rules = Mutex<Rules?>(nil)
  private let known = BoundedCache<Text, [FindingGroup]>(countMax: textsMax)

  /// `catalog` says which findings are meant to be ignored.
  package init(_ resources: AppResources?, ignoring catalog: Catalog) {
    (self.resources, self.catalog) = (resources, catalog)
  }

  /// The texts of FCM's `Message` for the platforms that the app has.
  package func texts(of message: JSON) -> [Text] {
    let texts = MessageTexts(MessageSchema.withProtoNames(message, of: .message))
    return AppPlatform.allCases.filter { resources?[$0] != nil || resources == nil }.flatMap { platform in
      TextSlot.Name.allCases.compactMap { slot in
        let text = texts[slot, platform]
        let hasLiteral = text.literal?.isEmpty == false
        let key = text.key.flatMap { $0.isEmpty || $0.utf8.count > Self.keyBytesMax ? nil : ExactText($0) }
        guard key != nil || hasLiteral else { return nil }
        return Text(
          platform: platform, slot: slot, key: key, argCount: text.args.count, hasLiteral: hasLiteral)
      }
    }
  }

  /// The findings about a text by cause; nil if they are not known yet.
  package func knownFindings(of text: Text) -> [FindingGroup]? { known.known(text) }

  /// The findings about a text by cause.
  package func findings(of text: Text) -> [FindingGroup] {
    known.value(text) { CheckReport(findings: find(text), ignoring: catalog.ignored).groups }
  }

  private func find(_ text: Text) -> [Finding] {
    guard let key = text.key else { return [literal(text)] }
    if text.hasLiteral, text.platform == .android {
      var finding = Finding.literalOverridesLocKey("A literal \(text.slot.rawValue)")
      (finding.slot, finding.platform, finding.key) = (text.slot, .android, key.text)
      return [finding]
    }
    let argName = text.field.replacingSuffix("key", by: "args")
    let use = KeyUse(
      template: "", slot: text.slot, platform: text.platform,
      text: LocText(
        key: key.text, args: (0..<text.argCount).map { "\(argName)[\($0)]" }, line: 0), plural: nil,
      numericArgs: [], openArgs: [], hasFallback: text.hasLiteral, isField: true)
    let found = rules.withLock { kept in
      var rules =
        kept ?? Rules(keys: KeyChecks(resources: resources), reading: ReadingFindings(resources, of: catalog))
      defer { kept = rules.count < Self.textsMax ? rules : nil }
      rules.count += 1
      return rules.keys.findings(of: use) + rules.keys.marked(rules.reading.findings(of: use), about: use)
    }
    let unshipped = resources?.unshipped[text.platform] ?? []
    return found.filter { !unshipped.contains($0.locale ?? "") }.map { finding in
      var finding = finding
      (finding.slot, finding.platform, finding.key) = (text.slot, text.platform, key.text)
      return finding
    }
  }

  private func literal(_ text: Text) -> Finding {
    var finding = Finding(.literalText, .literalText, [text.slot.clause], help: .sendLocKey)
    (finding.slot, finding.platform) = (text.slot, text.platform)
    return finding
  }
}

extension String {
  fileprivate func replacingSuffix(_ suffix: String, by other: String) -> String {
    hasSuffix(suffix) ? dropLast(suffix.count) + other : self
  }
}
