/// The kinds of qualifiers in a resource folder's name, in their required order
/// (AOSP ConfigDescription.cpp Parse; developer.android.com, "Providing resources", table 2).
package enum AndroidQualifier: Int, CaseIterable, Comparable, Sendable {
  case mobileCountryCode, mobileNetworkCode, locale, grammaticalGender, layoutDirection, smallestWidth, width,
    height
  case screenSize, screenAspect, roundScreen, wideColorGamut, dynamicRange, orientation, uiMode, nightMode,
    density
  case touchscreen, keyboardAvailability, keyboard, navigationAvailability, navigation, screenDimensions,
    version

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Whether a part of the name, in lower case, is of this kind; `any` is of every kind.
  func accepts(_ part: String) -> Bool {
    if part == "any" || words.contains(part) { return true }
    switch self {
    case .mobileCountryCode: return Self.number(in: part, after: "mcc", digits: 3...3).map { $0 > 0 } ?? false
    case .mobileNetworkCode: return Self.number(in: part, after: "mnc", digits: 1...3) != nil
    case .smallestWidth: return Self.number(in: part, after: "sw", before: "dp") != nil
    case .width: return Self.number(in: part, after: "w", before: "dp") != nil
    case .height: return Self.number(in: part, after: "h", before: "dp") != nil
    case .density: return Self.number(in: part, before: "dpi").map { $0 > 0 } ?? false
    case .screenDimensions:
      let sides = part.split(separator: "x", omittingEmptySubsequences: false).map {
        Self.number(in: String($0))
      }
      guard sides.count == 2, let width = sides[0], let height = sides[1] else { return false }
      return width >= height
    case .version:
      let parts = part.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let major = parts.first, Self.number(in: major, after: "v") != nil else { return false }
      return parts.count == 1 || Self.number(in: parts[1]) != nil
    default: return false
    }
  }

  /// The qualifier for a value in a built app, where the words of an axis count from 1 (AOSP
  /// Configuration.proto).
  package func text(_ value: Int) -> String {
    switch self {
    case .mobileCountryCode: return "mcc\(value)"
    case .mobileNetworkCode: return "mnc\(value)"
    case .smallestWidth: return "sw\(value)dp"
    case .width: return "w\(value)dp"
    case .height: return "h\(value)dp"
    case .density: return Self.densities[value] ?? "\(value)dpi"
    case .version: return "v\(value)"
    case .uiMode where value > 1: return words.dropFirst(value - 2).first ?? "any"
    default: return value > 0 ? words.dropFirst(value - 1).first ?? "any" : "any"
    }
  }

  private static let densities = [
    0xFFFE: "anydpi", 0xFFFF: "nodpi", 120: "ldpi", 160: "mdpi", 213: "tvdpi", 240: "hdpi", 320: "xhdpi",
    480: "xxhdpi", 640: "xxxhdpi",
  ]

  private var words: [String] {
    switch self {
    case .grammaticalGender: ["neuter", "feminine", "masculine"]
    case .layoutDirection: ["ldltr", "ldrtl"]
    case .screenSize: ["small", "normal", "large", "xlarge"]
    case .screenAspect: ["long", "notlong"]
    case .roundScreen: ["round", "notround"]
    case .wideColorGamut: ["widecg", "nowidecg"]
    case .dynamicRange: ["highdr", "lowdr"]
    case .orientation: ["port", "land", "square"]
    case .uiMode: ["desk", "car", "television", "appliance", "watch", "vrheadset"]
    case .nightMode: ["night", "notnight"]
    case .density: ["anydpi", "nodpi", "ldpi", "mdpi", "tvdpi", "hdpi", "xhdpi", "xxhdpi", "xxxhdpi"]
    case .touchscreen: ["notouch", "stylus", "finger"]
    case .keyboardAvailability: ["keysexposed", "keyshidden", "keyssoft"]
    case .keyboard: ["nokeys", "qwerty", "12key"]
    case .navigationAvailability: ["navexposed", "navhidden"]
    case .navigation: ["nonav", "dpad", "trackball", "wheel"]
    default: []
    }
  }

  private static func number(
    in part: String, after prefix: String = "", before suffix: String = "", digits: ClosedRange<Int> = 1...9
  ) -> Int? {
    let bytes = Array(part.utf8)
    guard bytes.count >= prefix.utf8.count + suffix.utf8.count, bytes.starts(with: prefix.utf8),
      bytes.reversed().starts(with: suffix.utf8.reversed())
    else { return nil }
    let middle = bytes.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
    guard digits.contains(middle.count), middle.allSatisfy(\.isASCIIDigit) else { return nil }
    return Int(String(decoding: middle, as: UTF8.self))
  }
}
