internal import FCMMessage
internal import JSON

/// What the texts of phones are measured by (docs/devices.md, "Length"): the table of the console's drawings,
/// which `scripts/font-widths` writes. The plugin EmbedFiles puts it into the binary as `text`.
struct WidthTable: Sendable {
  static let shared = WidthTable((try? JSON.parse(Array(text.utf8))) ?? .null)

  /// The parts of an em in which widths are.
  let units: Int
  let emoji: Int
  let unknown: Int
  private let scripts: [(codes: ClosedRange<UInt32>, width: Int)]
  /// The widths of characters up to the last one that is measured by itself, or `unmeasured`.
  private let fonts: [String: [UInt8]]
  private let collapsed: JSON

  private static let unmeasured = UInt8.max

  private init(_ json: JSON) {
    func integer(_ value: JSON?) -> Int { Int(clamping: value?.int64 ?? 0) }
    func code(_ value: JSON?) -> UInt32 { UInt32(clamping: value?.int64 ?? 0) }
    units = max(1, integer(json["units"]))
    emoji = integer(json["emoji"])
    unknown = integer(json["unknown"])
    collapsed = json["collapsed"] ?? .null
    scripts = (json["scripts"]?.array ?? []).compactMap { script in
      let (first, last) = (code(script[0]), code(script[1]))
      return first <= last ? (first...last, integer(script[2])) : nil
    }
    let digits = Array((json["digits"]?.string ?? "").utf8)
    let codes = (json["ranges"]?.array ?? []).flatMap { range in
      Array(integer(range[0])..<max(integer(range[0]), integer(range[1]) + 1))
    }
    fonts = Dictionary(
      (json["fonts"]?.object?.members ?? []).map { name, widths in
        var measured = [UInt8](repeating: Self.unmeasured, count: (codes.max() ?? 0) + 1)
        for (code, digit) in zip(codes, (widths.string ?? "").utf8) {
          measured[code] = digits.firstIndex(of: digit).map { UInt8(clamping: $0) } ?? Self.unmeasured
        }
        return (name, measured)
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The widths of one font, such as `android400`.
  func font(_ name: String) -> [UInt8] { fonts[name] ?? [] }

  /// What is known of a slot of collapsed notifications; nil where the platform shows none.
  func collapsed(_ slot: String, on platform: AppPlatform) -> JSON? { collapsed[platform.rawValue]?[slot] }

  /// The width of a character that `font` measures by itself.
  func ownWidth(of scalar: Unicode.Scalar, in font: [UInt8]) -> Int? {
    let code = Int(scalar.value)
    guard code < font.count, font[code] != Self.unmeasured else { return nil }
    return Int(font[code])
  }

  /// The width of a character by itself: its own, or the mean of its script, which counts the script's marks.
  func width(of scalar: Unicode.Scalar, in font: [UInt8]) -> Int {
    if let own = ownWidth(of: scalar, in: font) { return own }
    if let script = scripts.first(where: { $0.codes.contains(scalar.value) }) { return script.width }
    if scalar.properties.isEmoji { return emoji }
    if scalar.properties.isWhitespace { return ownWidth(of: " ", in: font) ?? unknown }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark, .format, .control: return 0
    default: return unknown
    }
  }

  /// The width of what a reader takes for one character.
  func width(of grapheme: Character, in font: [UInt8]) -> Int {
    let scalars = grapheme.unicodeScalars
    if let only = scalars.first, scalars.dropFirst().isEmpty, let own = ownWidth(of: only, in: font) {
      return own
    }
    if scalars.contains(where: \.properties.isEmoji) { return emoji }
    return scalars.reduce(0) { $0 + width(of: $1, in: font) }
  }
}
