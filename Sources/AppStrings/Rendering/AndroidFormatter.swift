/// `java.util.Formatter` on Android 7.0 and later, for args that are all Strings.
///
/// It behaves like OpenJDK 17, including the exceptions. Android's own parser (libcore) differs from
/// OpenJDK's only for invalid texts: before Android 15 `%0$s` takes the next arg instead of throwing, and a
/// width or index beyond an int is ignored; digits of other scripts count as digits; and where a specifier
/// has several faults, Android may throw another of the exceptions.
package struct AndroidFormatter: Sendable {
  private let bytes: [UInt8]
  private let pieces: [Piece]

  /// Takes a string resource's text apart, or throws what Java throws on any args.
  package init(_ format: String) throws(AndroidFormatError) {
    bytes = Array(format.utf8)
    pieces = try Self.parse(bytes)
  }

  /// The formatted text, or the exception that Java throws.
  ///
  /// Half a surrogate pair, which a precision can leave, becomes U+FFFD. A text beyond
  /// `RenderingLimits.textBytesMax` counts as too large for the phone's memory.
  /// - Parameters:
  ///   - args: the loc-args.
  ///   - language: the language of the phone's resources, which decides how `%S` converts to upper case.
  /// - Returns: what the phone shows.
  /// - Throws: the exception that Java throws first.
  package func text(args: [String], language: LocaleTag?) throws(AndroidFormatError) -> String {
    var output = AndroidFormatOutput(args: args, language: language, formatBytes: bytes.count)
    var arguments = ArgumentCursor(count: args.count)
    for piece in pieces {
      switch piece {
      case .literal(let range): try output.append(bytes[range])
      case .specifier(let specifier):
        let argument = try arguments.next(for: specifier)
        if argument != nil, let failure = specifier.failureWithText { throw failure }
        try output.append(specifier, argument: argument)
      }
    }
    return output.text
  }

  /// The formatted text of a string resource, or the exception that Java throws.
  package static func format(
    _ format: String, args: [String], language: LocaleTag?
  ) throws(AndroidFormatError) -> String {
    try AndroidFormatter(format).text(args: args, language: language)
  }

  /// What Java throws for a format string with this number of args, whatever they are; nil if it formats.
  package static func verdict(_ format: String, argCount: Int) -> AndroidFormatError? {
    do throws(AndroidFormatError) {
      var bytesLeft = RenderingLimits.textBytesMax
      var arguments = ArgumentCursor(count: argCount)
      for piece in try parse(Array(format.utf8)) {
        switch piece {
        case .literal(let range): bytesLeft -= range.count
        case .specifier(let specifier):
          let argument = try arguments.next(for: specifier)
          if argument != nil, let failure = specifier.failureWithText { throw failure }
          bytesLeft -= max(specifier.width ?? 0, specifier.argument == .none ? 1 : 0)
        }
        if bytesLeft < 0 { throw .tooLong }
      }
      return nil
    } catch {
      return error
    }
  }

  enum Piece: Sendable {
    case literal(Range<Int>)
    case specifier(AndroidFormatSpecifier)
  }

  /// Java parses the whole string before it formats anything, so a fault at its end throws first.
  static func parse(_ bytes: [UInt8]) throws(AndroidFormatError) -> [Piece] {
    var pieces: [Piece] = []
    var offset = 0
    while offset < bytes.count {
      guard let percent = bytes[offset...].firstIndex(of: UInt8(ascii: "%")) else {
        pieces.append(.literal(offset..<bytes.count))
        break
      }
      if percent > offset { pieces.append(.literal(offset..<percent)) }
      guard let syntax = AndroidSpecifierSyntax(bytes, at: percent) else {
        throw .unknownConversion(bytes, behind: percent)
      }
      pieces.append(.specifier(try AndroidFormatSpecifier(syntax)))
      offset = syntax.end
    }
    return pieces
  }

  /// Assigns an arg to each specifier.
  struct ArgumentCursor {
    let count: Int
    private var last = -1
    private var lastOrdinary = -1

    init(count: Int) { self.count = count }

    /// The arg's offset; nil for a specifier that takes none.
    mutating func next(for specifier: AndroidFormatSpecifier) throws(AndroidFormatError) -> Int? {
      switch specifier.argument {
      case .none: return nil
      case .relative: break
      case .ordinary:
        lastOrdinary += 1
        last = lastOrdinary
      case .explicit(let index): last = index - 1
      }
      guard last >= 0, last < count else {
        throw AndroidFormatError(.missingArgument, "Format specifier '\(specifier.description)'")
      }
      return last
    }
  }
}

extension AndroidFormatError {
  static var tooLong: Self { Self(.outOfMemory, "more than \(RenderingLimits.textBytesMax) bytes") }

  /// A `%` that begins no specifier. Java quotes the next UTF-16 unit, or the `%` if it is the last.
  static func unknownConversion(_ bytes: [UInt8], behind percent: Int) -> Self {
    let next = String(decoding: bytes[(percent + 1)...].prefix(4), as: UTF8.self).unicodeScalars.first
    let shown = next.map { $0.value > 0xFFFF ? "\u{FFFD}" : String($0) } ?? "%"
    return Self(.unknownConversion, "Conversion = '\(shown)'")
  }
}
