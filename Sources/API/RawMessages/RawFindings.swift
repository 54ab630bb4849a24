internal import Catalog
internal import CatalogCheck
internal import Clock
internal import Dispatch
internal import FCMMessage
internal import JSON
internal import Synchronization
internal import Telemetry

/// Counts by cause what is wrong with the texts of messages that were given as a whole: neither their targets
/// nor their args are kept.
final class RawFindings: Sendable {
  /// The causes that are kept of an app.
  static let causesMax = 1_000
  /// Messages whose texts wait to be looked at for the first time; those of further ones are not looked at.
  private static let waitingMax = 256
  /// How long a cause stays for certain when others need its place.
  private static let keptMilliseconds: Int64 = 3_600_000

  private struct Identity: Hashable {
    let rule: CheckRule
    let platform: AppPlatform?
    let key: ExactText?
    let message: ExactText

    init(_ group: FindingGroup) {
      (rule, platform, message) = (group.rule, group.platform, ExactText(group.message))
      key = group.keys.first.map(ExactText.init)
    }
  }

  final class Cause: Sendable {
    let group: FindingGroup
    let occurrences: Occurrences
    fileprivate let counter: Counter
    /// False for one that gave way to others.
    fileprivate let isKept = Atomic<Bool>(true)

    fileprivate init(_ group: FindingGroup, since now: Timestamp, _ counter: Counter) {
      (self.group, self.counter, occurrences) = (group, counter, Occurrences(since: now))
    }
  }

  /// The messages with the same texts and fields.
  struct Shape: Sendable {
    let kept: JSON
    let occurrences: Occurrences
  }

  /// What is counted with each message that is like another one.
  struct Note: Sendable {
    let groups: [FindingGroup]
    /// Nil if some of them are not kept.
    fileprivate let causes: [Cause]?
    fileprivate let shape: Occurrences?
  }

  private struct ShapeIdentity: Hashable {
    let texts: [RawMessageCheck.Text]
    let data: [ExactText]
  }

  private let causes = Mutex<[ExactText: [Identity: Cause]]>([:])
  private let shapes = Mutex<[ExactText: [ShapeIdentity: Shape]]>([:])
  private let waitingCount = Atomic<Int>(0)
  private let queue = DispatchQueue(label: "dragoman.raw-findings", qos: .utility)
  private let metrics: DragomanMetrics
  private let log: Log

  init(metrics: DragomanMetrics, log: Log) { (self.metrics, self.log) = (metrics, log) }

  /// Counts what is wrong with the texts of a message. What has to be found out first is counted later.
  /// - Returns: What to count for the next message that is like it; nil if that is not known yet.
  @discardableResult
  func note(
    _ message: JSON, _ texts: [RawMessageCheck.Text], by check: RawMessageCheck, app: String, now: Timestamp
  ) -> Note? {
    let shape = noteShape(of: message, texts, app: app, now: now)
    let known = texts.compactMap(check.knownFindings)
    if known.count == texts.count {
      let groups = Self.causes(in: known.joined())
      return Note(groups: groups, causes: count(groups, app: app, now: now), shape: shape)
    }
    if waitingCount.wrappingAdd(1, ordering: .relaxed).newValue <= Self.waitingMax {
      queue.async { [self] in
        _ = count(Self.causes(in: texts.map(check.findings).joined()), app: app, now: now)
        waitingCount.wrappingSubtract(1, ordering: .relaxed)
      }
    } else {
      waitingCount.wrappingSubtract(1, ordering: .relaxed)
      _ = count(Self.causes(in: known.joined()), app: app, now: now)
    }
    return nil
  }

  /// Counts a message that is like one before.
  func note(again note: Note, app: String, now: Timestamp) {
    note.shape?.add(now)
    guard let causes = note.causes, causes.allSatisfy({ $0.isKept.load(ordering: .relaxed) }) else {
      _ = count(note.groups, app: app, now: now)
      return
    }
    for cause in causes {
      cause.occurrences.add(now)
      cause.counter.add()
    }
  }

  /// The causes of an app, worst first.
  func causes(of app: String) -> [Cause] {
    let found = causes.withLock { $0[ExactText(app)].map { Array($0.values) } ?? [] }
    return found.sorted { left, right in
      if left.group.rank != right.group.rank { return left.group.rank < right.group.rank }
      return left.occurrences.comesBefore(right.occurrences)
    }
  }

  /// The shapes of an app's messages, those that are sent most first.
  func shapes(of app: String) -> [Shape] {
    let found = shapes.withLock { $0[ExactText(app)].map { Array($0.values) } ?? [] }
    return found.sorted { $0.occurrences.comesBefore($1.occurrences) }
  }

  /// The first message with the same texts and data keys stands for all of them.
  private func noteShape(
    of message: JSON, _ texts: [RawMessageCheck.Text], app: String, now: Timestamp
  ) -> Occurrences? {
    let app = ExactText(app)
    let identity = ShapeIdentity(
      texts: texts, data: message["data"]?.object?.members.map { ExactText($0.key) } ?? [])
    let (known, hasRoom) = shapes.withLock { shapes in
      (shapes[app]?[identity]?.occurrences, shapes[app, default: [:]].count < Self.causesMax)
    }
    known?.add(now)
    guard known == nil, hasRoom, let json = MessageShape.json(of: message) else { return known }
    return shapes.withLock { shapes in
      let shape = shapes[app]?[identity] ?? Shape(kept: json, occurrences: Occurrences(since: now))
      shape.occurrences.add(now)
      shapes[app, default: [:]][identity] = shape
      return shape.occurrences
    }
  }

  /// Each cause once, however many of a message's texts and the app's releases have it.
  private static func causes(in found: some Sequence<FindingGroup>) -> [FindingGroup] {
    var seen: Set<Identity> = []
    return found.filter { seen.insert(Identity($0)).inserted }
  }

  /// Counts the causes of one message; returns them if all are kept.
  private func count(_ groups: [FindingGroup], app: String, now: Timestamp) -> [Cause]? {
    if groups.isEmpty { return [] }
    let counted = groups.map { (group: $0, counter: metrics.rawFindings.with(app, $0.rule.rawValue)) }
    for (_, counter) in counted { counter.add() }
    let key = ExactText(app)
    let (kept, new) = causes.withLock { causes in
      var (kept, new): ([Cause], [Cause]) = ([], [])
      for (group, counter) in counted {
        guard let cause = Self.cause(group, in: &causes[key, default: [:]], counter, now: now) else {
          continue
        }
        if cause.occurrences.add(now) == 1 { new.append(cause) }
        kept.append(cause)
      }
      return (kept, new)
    }
    for cause in new {
      let group = cause.group
      log.warning(
        "message finding",
        [
          "app": .string(app), "rule": .string(group.rule.rawValue),
          "severity": .string(group.severity.rawValue), "platform": .string(group.platform?.rawValue ?? ""),
          "key": .string(group.keys.first ?? ""),
          "locales": .string(FindingGroup.listed(group.locales, most: 5)),
          "reason": .string(group.message),
        ])
    }
    return kept.count == groups.count ? kept : nil
  }

  /// The cause with its count so far; nil if there is no room for it.
  private static func cause(
    _ group: FindingGroup, in causes: inout [Identity: Cause], _ counter: Counter, now: Timestamp
  ) -> Cause? {
    let identity = Identity(group)
    if let cause = causes[identity] { return cause }
    if causes.count >= causesMax {
      // Of keys that only one caller invents, each would take the place of another.
      guard let oldest = causes.min(by: { $0.value.occurrences.lastSeen < $1.value.occurrences.lastSeen }),
        oldest.value.occurrences.lastSeen.milliseconds(until: now) > keptMilliseconds
      else { return nil }
      oldest.value.isKept.store(false, ordering: .relaxed)
      causes[oldest.key] = nil
    }
    let cause = Cause(group, since: now, counter)
    causes[identity] = cause
    return cause
  }
}

extension RawFindings.Shape {
  var json: JSON {
    [
      "shape": kept, "count": JSON(occurrences.count), "first_seen": .string(occurrences.firstSeen.rfc3339),
      "last_seen": .string(occurrences.lastSeen.rfc3339),
    ]
  }
}

extension RawFindings.Cause {
  var json: JSON {
    [
      "rule": .string(group.rule.rawValue), "severity": .string(group.severity.rawValue),
      "verdict": group.verdict.map { .string($0.rawValue) } ?? .null,
      "platform": group.platform.map { .string($0.rawValue) } ?? .null,
      "key": group.keys.first.map(JSON.string) ?? .null, "locales": .array(group.locales.map(JSON.string)),
      "message": .string(group.message), "help": .string(group.help), "texts": group.texts,
      "count": JSON(occurrences.count), "first_seen": .string(occurrences.firstSeen.rfc3339),
      "last_seen": .string(occurrences.lastSeen.rfc3339),
    ]
  }
}
