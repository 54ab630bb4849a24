internal import _FoundationICU

/// The script of the letters in a text, apart from those of placeholders and addresses.
package struct TextLetters: Sendable, Equatable {
  /// The number of letters by ISO 15924 code (`Latn`).
  package private(set) var counts: [String: Int] = [:]
  /// Parts between spaces that have only letters.
  package private(set) var wordCount = 0
  /// The words that begin with a small letter, or with one of a script that has no capitals.
  package private(set) var smallWordCount = 0

  /// Whether a text reads as a sentence of three words or more. "Documents by Readdle" is a name.
  package var isSentence: Bool { wordCount >= 3 && smallWordCount >= 2 }

  package init(_ text: String) {
    for part in text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace) { add(part) }
  }

  private mutating func add(_ part: Substring.UnicodeScalarView) {
    let letters = Self.letters(in: part)
    for letter in letters {
      if let script = Script(letter).code { counts[script, default: 0] += 1 }
    }
    let word = part.drop { !$0.properties.isAlphabetic }.reversed().drop { !$0.properties.isAlphabetic }
      .reversed()
    guard word.allSatisfy({ $0.properties.isAlphabetic || Self.isInWord($0) }),
      !part.contains("%"), let first = word.first
    else { return }
    wordCount += 1
    if !first.properties.isUppercase { smallWordCount += 1 }
  }

  private static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "'" || scalar == "\u{2019}" || scalar == "-"
      || scalar.properties.canonicalCombiningClass != .notReordered
      || scalar.properties.generalCategory == .nonspacingMark
      || scalar.properties.generalCategory == .spacingMark
  }

  /// The letters of a part of a text; none of an address or a name in code, and of one with a placeholder
  /// only those beyond ASCII.
  private static func letters(in part: Substring.UnicodeScalarView) -> [Unicode.Scalar] {
    if part.contains(where: { $0 == "@" || $0 == "/" || $0 == "_" || $0 == "=" }),
      part.contains(where: \.isASCII),
      !part.contains("%")
    {
      return []
    }
    let hasPlaceholder = part.contains("%")
    return part.filter { $0.properties.isAlphabetic && !(hasPlaceholder && $0.isASCII) }
  }

  /// The names of scripts for people: `Cyrillic`; the code for one that ICU does not know.
  package static func name(ofScript code: String) -> String { Script.name(of: code) }

  /// Whether a text has a letter of one of some scripts. Most texts of a language begin with one.
  package static func has(_ scripts: Set<String>, in text: String) -> Bool {
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      if scalar == "%" {
        scalars = scalars.drop { $0.isASCII && !$0.properties.isAlphabetic && $0 != "@" && $0 != " " }
          .dropFirst()
      } else if scalar.properties.isAlphabetic, let script = Script(scalar).code, scripts.contains(script) {
        return true
      }
    }
    return false
  }
}

/// The script of one letter, as ICU knows it.
private struct Script {
  /// Nil for a letter that all scripts share.
  let code: String?

  init(_ letter: Unicode.Scalar) {
    if letter.isASCII {
      code = "Latn"
      return
    }
    var status = U_ZERO_ERROR
    // The header renames ICU's functions with macros, and Swift imports only the new names.
    let script = swift_uscript_getScript(UChar32(bitPattern: letter.value), &status)
    guard status.rawValue <= U_ZERO_ERROR.rawValue, script != USCRIPT_COMMON, script != USCRIPT_INHERITED,
      let name = swift_uscript_getShortName(script)
    else {
      code = nil
      return
    }
    code = String(cString: name)
  }

  static func name(of code: String) -> String {
    let value = swift_u_getPropertyValueEnum(UCHAR_SCRIPT, code)
    guard value >= 0, let name = swift_uscript_getName(UScriptCode(rawValue: value)) else {
      return code
    }
    return String(cString: name).replacing("_", with: " ")
  }
}
