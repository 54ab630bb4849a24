/// The names of resources that the build of an app accepts.
enum AndroidEntryName {
  /// What is wrong with a name; nil if nothing is.
  ///
  /// aapt2 accepts identifiers of UAX #31 with `.` and `-` (ResourceUtils.cpp, IsValidResourceEntryName). The
  /// Gradle plugin accepts what is a name in Java once each `.` is an `_`, and no keyword
  /// (ValueResourceNameValidator).
  static func fault(of name: String) -> FindingText? {
    let isWord = name.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
    if isWord, name.utf8.count <= keywordBytesMax, javaKeywords.contains(name) {
      return FindingText(.isKeyword)
    }
    if isWord, name.utf8.first?.isASCIIDigit == false { return nil }
    for (index, scalar) in name.unicodeScalars.enumerated() {
      if index == 0, scalar.isASCII, scalar.properties.numericType != nil {
        return FindingText(.beginsWithDigit)
      }
      guard isValid(scalar, isFirst: index == 0) else {
        return scalar == " " ? FindingText(.hasSpace) : FindingText(.hasCharacter, ["\(scalar)"])
      }
    }
    return nil
  }

  private static func isValid(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
    if scalar == "_" || scalar == "." { return scalar == "_" || !isFirst }
    return isFirst ? scalar.properties.isXIDStart : scalar.properties.isXIDContinue
  }

  /// More than any keyword has. Most names are longer, and are looked up nowhere.
  private static let keywordBytesMax = 12

  /// Java Language Specification §3.9, and its literals.
  private static let javaKeywords: Set<String> = [
    "_", "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const",
    "continue",
    "default", "do", "double", "else", "enum", "extends", "false", "final", "finally", "float", "for", "goto",
    "if",
    "implements", "import", "instanceof", "int", "interface", "long", "native", "new", "null", "package",
    "private",
    "protected", "public", "return", "short", "static", "strictfp", "super", "switch", "synchronized", "this",
    "throw", "throws", "transient", "true", "try", "void", "volatile", "while",
  ]
}
