internal import FCMMessage
internal import JSON

/// The settings of a request for its message. The template's settings apply to those that are nil.
struct MessageSettings: Sendable {
  var ttlSeconds: Int?
  var priority: MessagePriority?
  var collapseKey: String?
  var analyticsLabel: String?
  var data: [(key: String, text: String)] = []
  /// Only for a template of a Live Activity.
  var activity: ActivityRequest?
}

/// A template compiled to the steps that assemble its message: constant members as bytes, and steps for the
/// members that depend on the request.
///
/// All event loops assemble messages of the same few plans. A reference count that they all change costs more
/// than the work itself, so a plan is one object, its steps hold no references, and so do its slots.
final class MessagePlan: Sendable {
  /// Steps, and the constant bytes to which they refer by their ranges.
  struct Program: Sendable {
    var steps: [Step] = []
    private(set) var bytes: [UInt8] = []

    /// Adds constant bytes, and returns where they are.
    mutating func keep(_ new: some Collection<UInt8>) -> Range<Int> {
      let start = bytes.count
      bytes.append(contentsOf: new)
      return start..<bytes.count
    }
  }

  enum Step: Sendable {
    /// One or more constant members of an object.
    case members(Range<Int>)
    /// The start of a member that is an object: its name in JSON and the colon.
    case open(Range<Int>)
    /// The end of such an object; the member is removed if the object is empty.
    case close
    /// The same, but an empty object stays.
    case closeWhole
    /// The start and the end of a list.
    case openList(Range<Int>)
    case closeList
    /// A member, or with an empty `head` an element of a list, whose value is an arg; left out with it.
    case value(head: Range<Int>, ParamUse)
    case text(slot: Int, AppPlatform)
    /// The literal texts of a platform's part, of those names; without them `otherwise`, constant members.
    case literals(Recipient.Platform, LiteralNames, otherwise: Range<Int>)
    /// The template's entries of `data`.
    case data
    case setting(Setting, fixed: FixedValue?)
  }

  /// The texts that a part of a message can hold as literals.
  struct LiteralNames: OptionSet, Sendable {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ names: [TextSlot.Name]) {
      self = names.reduce([]) { $0.union(Self(rawValue: 1 << $1.position)) }
    }

    func contains(_ name: TextSlot.Name) -> Bool { contains(Self(rawValue: 1 << name.position)) }
  }

  /// One of the texts that a message holds as literals.
  typealias TextPlace = (part: Recipient.Platform, name: TextSlot.Name)

  /// A value that the template itself sets.
  enum FixedValue: Sendable {
    /// JSON text.
    case bytes(Range<Int>)
    case param(ParamUse)
  }

  /// A member that a request can set. `fixed` is the value of that FCM field in the template.
  enum Setting: Sendable {
    case androidCollapseKey, androidPriority, androidTTL, androidTag
    case apnsExpiration, apnsPriority, apnsCollapseID
    case webpushTTL
    case analyticsLabel
    /// `live_activity_token`, the priority of a message to a Live Activity, and the keys of `aps` that each
    /// request sets.
    case activityToken, activityPriority, activityState
  }

  /// A part of the message, which is for one platform or, without one, for all.
  struct Part: Sendable {
    let platform: Recipient.Platform?
    let steps: Range<Int>
  }

  let program: Program
  /// In the order of the message, all steps of `program`.
  let parts: [Part]
  /// The browser's part of a message that has texts for it.
  let webProgram: Program
  /// The template's entries of `data`.
  let data: [(key: String, value: FixedValue)]
  /// The texts for browsers that the catalog itself has.
  let ownWebTexts: Set<TextSlot.Name>
  /// The texts of its slots.
  let texts: SlotTexts
  /// Whether texts isolate each of the params.
  let isolates: [Bool]
  /// The template's own settings.
  let defaults: MessageSettings
  let hasDeviceIdentity: Bool
  let visibility: Visibility
  /// What FCM says about args that stand in its fields.
  let check: ValueCheck
  /// Nil unless the template is for Live Activities.
  let activity: ActivityPlan?

  init(
    program: Program, parts: [Part], webProgram: Program, data: [(key: String, value: FixedValue)],
    ownWebTexts: Set<TextSlot.Name>, texts: SlotTexts, isolates: [Bool], defaults: MessageSettings,
    hasDeviceIdentity: Bool, visibility: Visibility, check: ValueCheck, activity: ActivityPlan?
  ) {
    self.program = program
    self.parts = parts
    self.webProgram = webProgram
    self.data = data
    self.ownWebTexts = ownWebTexts
    self.texts = texts
    self.isolates = isolates
    self.defaults = defaults
    self.hasDeviceIdentity = hasDeviceIdentity
    self.visibility = visibility
    self.check = check
    self.activity = activity
  }

  /// FCM's default if nothing is set (FCM v1 reference, `AndroidConfig.priority`).
  func defaultPriority(_ values: [ParamValue?]) -> MessagePriority {
    if activity != nil { return activityPriority(values) }
    return visibility.isOnAndroid || visibility.isOnIOS(values) ? .high : .normal
  }

  /// Assembles the message for `values`, which are in the order of the template's params; those that are left
  /// out are nil. O(bytes).
  func message(
    values: [ParamValue?], settings: MessageSettings, content: MessageContent = .deviceTexts
  ) -> SealedMessage {
    var writer = MessageWriter(plan: self, values: values, settings: settings, content: content)
    write(&writer, settings, content)
    return writer.sealed
  }

  /// What messages have in common whose contents have the shape of `content`, and which texts belong in the
  /// placeholders of the others.
  func frame(
    values: [ParamValue?], settings: MessageSettings, content: MessageContent
  ) -> (message: SealedMessage, texts: [TextPlace]) {
    var writer = MessageWriter(
      plan: self, values: values, settings: settings, content: content, leavesOutTexts: true)
    write(&writer, settings, content)
    return (writer.sealed, writer.texts)
  }

  private func write(
    _ writer: inout MessageWriter, _ settings: MessageSettings, _ content: MessageContent
  ) {
    if settings.activity?.event == .start, let activity {
      writer.append(activity.startProgram)
    } else {
      for part in parts where content.includes(part.platform) {
        if part.platform == .web, content.web != nil {
          writer.append(webProgram)
        } else {
          writer.append(program, part.steps)
        }
      }
    }
  }
}

extension TextSlot.Name {
  /// Its place among all names.
  fileprivate var position: Int {
    switch self {
    case .title: 0
    case .subtitle: 1
    case .body: 2
    }
  }
}
