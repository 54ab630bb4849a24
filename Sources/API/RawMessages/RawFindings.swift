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

  struct Cause: Sendable {
    let group: FindingGroup
    fileprivate(set) var count = 0
    let firstSeen: Timestamp
    fileprivate(set) var lastSeen: Timestamp
  }

  /// The messages with the same texts and fields.
  struct Shape: Sendable {
    let kept: JSON
    fileprivate(set) var count = 1
    let firstSeen: Timestamp
    fileprivate(set) var lastSeen: Timestamp
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
  func note(
    _ message: JSON, _ texts: [RawMessageCheck.Text], by check: RawMessageCheck, app: String, now: Timestamp
  ) {
    noteShape(of: message, texts, app: app, now: now)
    let known = texts.compactMap(check.knownFindings)
    if known.count == texts.count { return count(known.joined(), app: app, now: now) }
    if waitingCount.wrappingAdd(1, ordering: .relaxed).newValue <= Self.waitingMax {
      queue.async { [self] in
        count(texts.map(check.findings).joined(), app: app, now: now)
        waitingCount.wrappingSubtract(1, ordering: .relaxed)
      }
    } else {
      waitingCount.wrappingSubtract(1, ordering: .relaxed)
      count(known.joined(), app: app, now: now)
    }
  }

  /// The causes of an app, worst first.
  func causes(of app: String) -> [Cause] {
    let found = causes.withLock { $0[ExactText(app)].map { Array($0.values) } ?? [] }
    return found.sorted { left, right in
      if left.group.rank != right.group.rank { return left.group.rank < right.group.rank }
      if left.count != right.count { return left.count > right.count }
      return left.firstSeen < right.firstSeen
    }
  }

  /// The shapes of an app's messages, those that are sent most first.
  func shapes(of app: String) -> [Shape] {
    let found = shapes.withLock { $0[ExactText(app)].map { Array($0.values) } ?? [] }
    return found.sorted { $0.count != $1.count ? $0.count > $1.count : $0.firstSeen < $1.firstSeen }
  }

  /// The first message with the same texts and data keys stands for all of them.
  private func noteShape(of message: JSON, _ texts: [RawMessageCheck.Text], app: String, now: Timestamp) {
    let app = ExactText(app)
    let identity = ShapeIdentity(
      texts: texts, data: message["data"]?.object?.members.map { ExactText($0.key) } ?? [])
    let isNew = shapes.withLock { shapes in
      if shapes[app]?[identity] == nil { return shapes[app, default: [:]].count < Self.causesMax }
      shapes[app]?[identity]?.count += 1
      shapes[app]?[identity]?.lastSeen = now
      return false
    }
    guard isNew, let json = MessageShape.json(of: message) else { return }
    shapes.withLock { $0[app, default: [:]][identity] = Shape(kept: json, firstSeen: now, lastSeen: now) }
  }

  /// Counts the causes of one message, each once, however many of its texts and the app's releases have it.
  private func count(_ found: some Sequence<FindingGroup>, app: String, now: Timestamp) {
    var seen: Set<Identity> = []
    let groups = found.filter { seen.insert(Identity($0)).inserted }
    if groups.isEmpty { return }
    let new = causes.withLock { causes in
      groups.filter { Self.add($0, to: &causes[ExactText(app), default: [:]], now: now) }
    }
    for group in groups { metrics.rawFindings.with(app, group.rule.rawValue).add() }
    for group in new {
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
  }

  /// Whether the cause is new and kept.
  private static func add(_ group: FindingGroup, to causes: inout [Identity: Cause], now: Timestamp) -> Bool {
    let identity = Identity(group)
    var cause = causes[identity] ?? Cause(group: group, firstSeen: now, lastSeen: now)
    cause.count += 1
    cause.lastSeen = max(cause.lastSeen, now)
    if cause.count == 1, causes.count >= causesMax {
      // Of keys that only one caller invents, each would take the place of another.
      guard let oldest = causes.min(by: { $0.value.lastSeen < $1.value.lastSeen }),
        oldest.value.lastSeen.milliseconds(until: now) > keptMilliseconds
      else { return false }
      causes[oldest.key] = nil
    }
    causes[identity] = cause
    return cause.count == 1
  }
}

extension RawFindings.Shape {
  var json: JSON {
    [
      "shape": kept, "count": JSON(count), "first_seen": .string(firstSeen.rfc3339),
      "last_seen": .string(lastSeen.rfc3339),
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
      "message": .string(group.message), "help": .string(group.help), "count": JSON(count),
      "first_seen": .string(firstSeen.rfc3339), "last_seen": .string(lastSeen.rfc3339),
    ]
  }
}
