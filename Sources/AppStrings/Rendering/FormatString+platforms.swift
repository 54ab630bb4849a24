extension FormatString {
  enum Found {
    case placeholder(Placeholder)
    /// An escape, which takes no arg, with the offset after it.
    case escape(end: Int)
    case stray
  }

  /// Android: a specifier of java.util.Formatter, otherwise one of other formatters.
  func androidPlaceholder(
    _ bytes: [UInt8], at percent: Int, _ arguments: inout PlaceholderArguments
  ) -> Found {
    if let syntax = AndroidSpecifierSyntax(bytes, at: percent) {
      do throws(AndroidFormatError) {
        let specifier = try AndroidFormatSpecifier(syntax)
        guard specifier.argument != .none else { return .escape(end: syntax.end) }
        return .placeholder(
          placeholder(bytes, at: percent, syntax, exception: specifier.failureWithText?.kind, &arguments))
      } catch {
        // `%ld` is not Java's but still a placeholder; `% %` is a placeholder of no formatter.
        if error.kind != .unknownConversion, syntax.isKnownConversion {
          return .placeholder(placeholder(bytes, at: percent, syntax, exception: error.kind, &arguments))
        }
      }
    }
    guard let syntax = PrintfSyntax(bytes, at: percent) else { return .stray }
    return .placeholder(
      placeholder(bytes, at: percent, syntax, isForeign: true, exception: .unknownConversion, &arguments))
  }

  /// iOS: `%@` and `%1$@`, otherwise a placeholder of other formatters, including Apple's own.
  func applePlaceholder(
    _ bytes: [UInt8], at percent: Int, _ arguments: inout PlaceholderArguments
  ) -> Found {
    guard let syntax = PrintfSyntax(bytes, at: percent) else { return .stray }
    return .placeholder(
      placeholder(bytes, at: percent, syntax, isForeign: !syntax.isPlainObject, exception: nil, &arguments))
  }

  private func placeholder(
    _ bytes: [UInt8], at percent: Int, _ syntax: AndroidSpecifierSyntax,
    exception: AndroidFormatError.Kind?, _ arguments: inout PlaceholderArguments
  ) -> Placeholder {
    let numbering: Numbering =
      syntax.flags.contains(UInt8(ascii: "<"))
      ? .relative : syntax.index.map { .explicit($0.value ?? .max) } ?? .ordinary
    let looksStray = syntax.flags.contains(UInt8(ascii: " "))
    return Placeholder(
      text: quote(bytes[percent..<syntax.end]), range: percent..<syntax.end, numbering: numbering,
      conversion: syntax.meaning, argument: looksStray ? nil : arguments.next(numbering), isForeign: false,
      looksStray: looksStray, exception: exception)
  }

  private func placeholder(
    _ bytes: [UInt8], at percent: Int, _ syntax: PrintfSyntax, isForeign: Bool,
    exception: AndroidFormatError.Kind?, _ arguments: inout PlaceholderArguments
  ) -> Placeholder {
    Placeholder(
      text: quote(bytes[percent..<syntax.end]), range: percent..<syntax.end, numbering: syntax.numbering,
      conversion: syntax.conversion, argument: arguments.next(syntax.numbering), isForeign: isForeign,
      looksStray: false, exception: exception)
  }

  /// The bytes as messages quote them.
  func quote(_ bytes: ArraySlice<UInt8>) -> String {
    let limit = RenderingLimits.quotedCharactersMax
    guard bytes.count > limit else { return String(decoding: bytes, as: UTF8.self) }
    let text = String(decoding: bytes.prefix(4 * limit), as: UTF8.self)
    return text.count <= limit ? text : text.prefix(limit - 1) + "…"
  }
}

extension AndroidSpecifierSyntax {
  /// Whether the conversion takes an arg, whatever its flags.
  fileprivate var isKnownConversion: Bool {
    dateLetter != nil || "bBsShHcCdoxXeEgGfaA".utf8.contains(conversion)
  }

  fileprivate var meaning: FormatString.Conversion {
    if dateLetter != nil { return .date }
    return switch conversion | 0x20 {
    case UInt8(ascii: "s"): .text
    case UInt8(ascii: "b"): .boolean
    case UInt8(ascii: "h"): .hash
    case UInt8(ascii: "c"): .character
    default: .number
    }
  }
}
