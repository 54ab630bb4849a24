internal import AppStrings
internal import FCMMessage

/// A piece of a plural's text.
enum PluralPiece: Equatable {
  /// A text that phones format as it is, with `%%` for each percent sign.
  case literal(String)
  /// A placeholder for the arg at an index of the app's own args, from 0; nil if its position is impossible.
  /// `conversion` is what a generated text has after the position: `s` or `@`.
  case placeholder(argument: Int?, isInteger: Bool, conversion: String)
  /// A variable of Apple's formats, `%#@name@`.
  case variable(name: String, argument: Int?)
  /// `%arg` of string catalogs: the number.
  case number

  /// The pieces of a text. The first placeholder without a position stands for the arg `ordinal`, from 0.
  static func pieces(
    of text: String, on platform: AppPlatform, ordinal: Int = 0, hasArgSign: Bool = false
  ) -> [PluralPiece] {
    var ordinal = ordinal
    var pieces: [PluralPiece] = []
    for (index, part) in (hasArgSign ? parts(of: text) : [text]).enumerated() {
      if index > 0 {
        pieces.append(.number)
        ordinal += 1
      }
      let format = FormatString(part, platform: platform)
      pieces += Self.pieces(of: format, ordinal: ordinal)
      ordinal += format.placeholders.count { $0.numbering == .ordinary && !$0.looksStray }
    }
    return pieces
  }

  private static func pieces(of format: FormatString, ordinal: Int) -> [PluralPiece] {
    let bytes = Array(format.text.utf8)
    // A percent sign that begins no placeholder is doubled: the phone formats the text.
    let strays = format.strayPercents.map(\.range) + format.placeholders.filter(\.looksStray).map(\.range)
    var marks = strays.map { ($0.lowerBound..<$0.lowerBound + 1, PluralPiece.literal("%%")) }
    marks += format.placeholders.filter { !$0.looksStray }.map {
      ($0.range, piece(of: $0, in: bytes, format.platform, ordinal: ordinal))
    }
    var pieces: [PluralPiece] = []
    var offset = 0
    func append(upTo end: Int) {
      guard offset < end else { return }
      pieces.append(.literal(String(decoding: bytes[offset..<end], as: UTF8.self)))
    }
    for (range, piece) in marks.sorted(by: { $0.0.lowerBound < $1.0.lowerBound }) {
      append(upTo: range.lowerBound)
      pieces.append(piece)
      offset = range.upperBound
    }
    append(upTo: bytes.count)
    return pieces
  }

  private static func piece(
    of placeholder: FormatString.Placeholder, in bytes: [UInt8], _ platform: AppPlatform, ordinal: Int
  ) -> PluralPiece {
    let isOrdinary = placeholder.numbering == .ordinary
    let argument = placeholder.argument.map { isOrdinary ? $0 + ordinal : $0 }
    let written = bytes[placeholder.range]
    if placeholder.conversion == .plural {
      // `%1$#@name@`
      let name = written.drop { $0 != UInt8(ascii: "@") }.dropFirst().dropLast()
      return .variable(name: String(decoding: name, as: UTF8.self), argument: argument)
    }
    return .placeholder(
      argument: argument, isInteger: placeholder.isInteger,
      conversion: platform == .ios ? "@" : androidConversion(placeholder, written))
  }

  /// What follows the position: of a conversion that takes a text, its flags, width and precision too.
  private static func androidConversion(
    _ placeholder: FormatString.Placeholder, _ written: ArraySlice<UInt8>
  ) -> String {
    switch placeholder.conversion {
    case .text where !placeholder.isForeign, .boolean, .hash:
      let rest = written.dropFirst()
      let digits = rest.prefix(while: \.isASCIIDigit)
      let hasPosition = rest.dropFirst(digits.count).first == UInt8(ascii: "$")
      let flags = hasPosition ? rest.dropFirst(digits.count + 1) : rest
      return String(decoding: flags.filter { $0 != UInt8(ascii: "<") }, as: UTF8.self)
    default: return "s"
    }
  }

  /// The parts of a text between its `%arg`.
  private static func parts(of text: String) -> [String] {
    let bytes = Array(text.utf8)
    var parts: [String] = []
    var (start, offset) = (0, 0)
    while offset < bytes.count {
      if bytes[offset...].starts(with: "%%".utf8) {
        offset += 2
      } else if bytes[offset...].starts(with: "%arg".utf8) {
        parts.append(String(decoding: bytes[start..<offset], as: UTF8.self))
        offset += 4
        start = offset
      } else {
        offset += 1
      }
    }
    return parts + [String(decoding: bytes[start...], as: UTF8.self)]
  }
}
