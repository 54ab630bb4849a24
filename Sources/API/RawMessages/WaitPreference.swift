internal import HTTPServer

/// How long a caller waits for FCM's answer: `Prefer: wait=N` (RFC 7240 §4.3).
struct WaitPreference: Sendable, Equatable {
  static let secondsMax = 30
  private static let secondsDefault = 10

  let seconds: Int
  /// Whether the caller said so, and the answer says that it was done.
  private let isStated: Bool

  /// Of several, the first counts (RFC 7240 §2); what is no number is ignored.
  init(_ head: HTTPRequestHead) {
    let preferences = head.headers.values(of: "Prefer").flatMap { $0.split(separator: ",") }
    let stated = preferences.lazy.compactMap(Self.seconds).first
    seconds = min(stated ?? Self.secondsDefault, Self.secondsMax)
    isStated = stated != nil
  }

  /// `Preference-Applied` (RFC 7240 §3).
  func add(to headers: inout HTTPHeaders) {
    if isStated { headers.add("Preference-Applied", "wait=\(seconds)") }
  }

  /// The seconds of `wait=N` and `wait="N"`, with or without parameters.
  private static func seconds(_ preference: Substring) -> Int? {
    let parts = preference.prefix { $0 != ";" }.filter { !" \t\"".contains($0) }.split(separator: "=")
    guard parts.count == 2, parts[0].lowercased() == "wait",
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(parts[1]) ?? secondsMax
  }
}
