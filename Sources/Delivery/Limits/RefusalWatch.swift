internal import Clock
internal import FCM

/// Distinguishes refusals of single targets from those of the whole app, by what others get.
///
/// A 403, a 404 or another 4xx without one of FCM's own codes does not say whether it is about the app or
/// about the target. Where one target after another gets it and none gets anything else, it is about the
/// app. A target that was refused before others were accepted is a bad target, and proves nothing about the
/// app until it gets another answer itself. Bounded.
struct RefusalWatch {
  /// Different targets in a row that have to be refused until the app is.
  static let targetsMin = 10

  private let countMax: Int
  /// Hashes of the targets that were refused since FCM last accepted or judged anything else.
  private var suspects: Set<Int> = []
  /// Hashes of the targets that were refused while others were not.
  private var bad: Set<Int> = []
  private(set) var failure: SendError?
  private(set) var since: Timestamp?

  init(countMax: Int) { self.countMax = max(Self.targetsMin, countMax) }

  /// How many targets were refused since FCM last gave another answer.
  var suspectCount: Int { suspects.count }

  var isEmpty: Bool { suspects.isEmpty && bad.isEmpty }

  func hasRefused(_ target: Int) -> Bool { suspects.contains(target) || bad.contains(target) }

  /// Notes a refusal; whether it is about the app as a whole.
  mutating func refused(_ target: Int, _ failure: SendError, now: Timestamp) -> Bool {
    guard !bad.contains(target) else { return false }
    if suspects.isEmpty { since = now }
    self.failure = failure
    if suspects.count < countMax { suspects.insert(target) }
    return suspects.count >= Self.targetsMin
  }

  /// How many targets `hasRefused` holds for.
  var refusedCount: Int { suspects.count + bad.count }

  /// FCM gave another answer to a message for `target`: neither the target nor the app is refused.
  mutating func answered(_ target: Int) {
    if !bad.isEmpty { bad.remove(target) }
    guard !suspects.isEmpty else { return }
    suspects.remove(target)
    if bad.count + suspects.count > countMax { bad = [] }
    bad.formUnion(suspects)
    suspects = []
    failure = nil
    since = nil
  }
}
