/// A valid format specifier of java.util.Formatter (OpenJDK 17, `Formatter.FormatSpecifier`).
struct AndroidFormatSpecifier: Sendable {
  /// The arg that the specifier takes.
  enum Argument: Equatable, Sendable {
    /// `%%` and `%n` take none.
    case none
    case ordinary
    /// `%<s`: the arg of the previous specifier.
    case relative
    /// `%2$s`, from 1.
    case explicit(Int)
  }

  struct Flags: OptionSet, Sendable {
    let rawValue: Int
    static let leftJustify = Flags(rawValue: 1 << 0)
    static let upperCase = Flags(rawValue: 1 << 1)
    static let alternate = Flags(rawValue: 1 << 2)
    static let plus = Flags(rawValue: 1 << 3)
    static let leadingSpace = Flags(rawValue: 1 << 4)
    static let zeroPad = Flags(rawValue: 1 << 5)
    static let group = Flags(rawValue: 1 << 6)
    static let parentheses = Flags(rawValue: 1 << 7)
    static let previous = Flags(rawValue: 1 << 8)

    private static let letters = Array("-^#+ 0,(<")

    /// The flags as Java prints them.
    var letters: String {
      String(Self.letters.enumerated().filter { rawValue & 1 << $0.offset != 0 }.map(\.element))
    }

    init(rawValue: Int) { self.rawValue = rawValue }

    init(_ bytes: ArraySlice<UInt8>) throws(AndroidFormatError) {
      self = []
      for byte in bytes {
        let letter = Character(Unicode.Scalar(byte))
        guard let bit = Self.letters.firstIndex(of: letter) else { continue }
        let flag = Flags(rawValue: 1 << bit)
        if contains(flag) { throw AndroidFormatError(.duplicateFlags, "Flags = '\(letter)'") }
        insert(flag)
      }
    }
  }

  private(set) var argument: Argument = .ordinary
  private(set) var flags: Flags = []
  private(set) var width: Int?
  private(set) var precision: Int?
  let isDate: Bool
  /// In lower case, except for a date.
  private(set) var conversion: Unicode.Scalar

  /// Checks the parts in Java's order, which determines the exception if several are invalid.
  init(_ syntax: AndroidSpecifierSyntax) throws(AndroidFormatError) {
    isDate = syntax.dateLetter != nil
    conversion = Unicode.Scalar(syntax.conversion)
    if let index = syntax.index {
      guard let value = index.value else {
        throw AndroidFormatError(
          .illegalArgumentIndex, "Format argument index: (not representable as int)")
      }
      guard value > 0 else {
        throw AndroidFormatError(.illegalArgumentIndex, "Illegal format argument index = \(value)")
      }
      argument = .explicit(value)
    }
    flags = try Flags(syntax.flags)
    if flags.contains(.previous) { argument = .relative }
    if let width = syntax.width {
      guard let value = width.value else { throw AndroidFormatError(.illegalWidth, "-2147483648") }
      self.width = value
    }
    if let precision = syntax.precision {
      guard let value = precision.value else {
        throw AndroidFormatError(.illegalPrecision, "-2147483648")
      }
      self.precision = value
    }
    if syntax.dateLetter == UInt8(ascii: "T") { flags.insert(.upperCase) }
    if !isDate { try takeConversion() }
    try check()
  }

  private mutating func takeConversion() throws(AndroidFormatError) {
    guard Self.conversions.contains(conversion) else {
      throw AndroidFormatError(.unknownConversion, "Conversion = '\(conversion)'")
    }
    if conversion.value < 0x60, conversion != "%" {
      flags.insert(.upperCase)
      conversion = Unicode.Scalar(UInt8(truncatingIfNeeded: conversion.value) | 0x20)
    }
    if conversion == "%" || conversion == "n" { argument = .none }
  }

  /// Conversions other than dates.
  private static let conversions = Set("bBsShHcCdoxXeEgGfaAn%".unicodeScalars)
  private static let dateConversions = Set("HIklMNLQpsSTzZaAbBCdehjmyYrRcDF".unicodeScalars)

  private func check() throws(AndroidFormatError) {
    if isDate { return try checkDate() }
    switch conversion {
    case "b", "s", "h": try checkGeneral()
    case "c": try checkCharacter()
    case "d", "o", "x": try checkInteger()
    case "n", "%": try checkText()
    default: try checkFloat()
    }
  }

  private func checkGeneral() throws(AndroidFormatError) {
    if conversion != "s" { try refuse(.alternate) }
    try checkWidthOfJustified()
    try refuse(.plus, .leadingSpace, .zeroPad, .group, .parentheses)
  }

  private func checkDate() throws(AndroidFormatError) {
    try refusePrecision()
    guard Self.dateConversions.contains(conversion) else {
      throw AndroidFormatError(.unknownConversion, "Conversion = 't\(conversion)'")
    }
    try refuse(.alternate, .plus, .leadingSpace, .zeroPad, .group, .parentheses)
    try checkWidthOfJustified()
  }

  private func checkCharacter() throws(AndroidFormatError) {
    try refusePrecision()
    try refuse(.alternate, .plus, .leadingSpace, .zeroPad, .group, .parentheses)
    try checkWidthOfJustified()
  }

  private func checkInteger() throws(AndroidFormatError) {
    try checkNumeric()
    try refusePrecision()
    try refuse(conversion == "d" ? .alternate : .group)
  }

  private func checkFloat() throws(AndroidFormatError) {
    try checkNumeric()
    switch conversion {
    case "a": try refuse(.parentheses, .group)
    case "e": try refuse(.group)
    case "g": try refuse(.alternate)
    default: break
    }
  }

  private func checkNumeric() throws(AndroidFormatError) {
    if width == nil, !flags.isDisjoint(with: [.leftJustify, .zeroPad]) {
      throw AndroidFormatError(.missingWidth, description)
    }
    if flags.isSuperset(of: [.plus, .leadingSpace]) || flags.isSuperset(of: [.leftJustify, .zeroPad]) {
      throw AndroidFormatError(.illegalFlags, "Flags = '\(flags.letters)'")
    }
  }

  private func checkText() throws(AndroidFormatError) {
    try refusePrecision()
    if conversion == "n", let width { throw AndroidFormatError(.illegalWidth, "\(width)") }
    guard flags.isEmpty || conversion == "%" && flags == .leftJustify else {
      throw AndroidFormatError(.illegalFlags, "Flags = '\(flags.letters)'")
    }
    try checkWidthOfJustified()
  }

  private func checkWidthOfJustified() throws(AndroidFormatError) {
    if width == nil, flags.contains(.leftJustify) { throw AndroidFormatError(.missingWidth, description) }
  }

  private func refusePrecision() throws(AndroidFormatError) {
    if let precision { throw AndroidFormatError(.illegalPrecision, "\(precision)") }
  }

  private func refuse(_ refused: Flags...) throws(AndroidFormatError) {
    for flag in refused where flags.contains(flag) { throw mismatch(flag) }
  }

  private func mismatch(_ flag: Flags) -> AndroidFormatError {
    AndroidFormatError(
      .flagsConversionMismatch, "Conversion = \(conversion), Flags = \(flag.letters)")
  }

  /// Whether it shows an arg as it is.
  var isPlain: Bool {
    width == nil && precision == nil && !flags.contains(.upperCase)
  }

  /// What Java throws on formatting a String with it; nil if it formats.
  var failureWithText: AndroidFormatError? {
    if !isDate {
      switch conversion {
      case "s": return flags.contains(.alternate) ? mismatch(.alternate) : nil
      case "b", "h", "n", "%": return nil
      default: break
      }
    }
    return AndroidFormatError(.illegalConversion, "\(conversion) != java.lang.String")
  }

  /// The specifier as Java's `toString()` writes it: flags first.
  var description: String {
    var text = "%" + flags.subtracting(.upperCase).letters
    if case .explicit(let index) = argument { text += "\(index)$" }
    if let width { text += "\(width)" }
    if let precision { text += ".\(precision)" }
    let isUpper = flags.contains(.upperCase)
    if isDate { text += isUpper ? "T" : "t" }
    return text + (isUpper ? String(conversion).uppercased() : String(conversion))
  }
}
