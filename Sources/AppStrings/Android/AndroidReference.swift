/// A value that refers to a text instead of being one: `@string/x` (aapt2 ResourceUtils.cpp ParseReference,
/// ParseAttributeReference, TryParseNullOrEmpty).
enum AndroidReference: Equatable {
  /// `@null` and `@empty`.
  case absent(StringEntry.Absence)
  /// A string of the app or of its libraries.
  case string(name: String)
  /// A string of the system, whose text only the phone knows.
  case system
  /// Another kind of resource.
  case other(type: String)
  /// `?attr/x`, and any other text that begins with `?`.
  case attribute

  /// Nil for a text, whether or not it begins with `@`.
  init?(_ raw: ArraySlice<UInt8>) {
    guard let first = raw.first, first == UInt8(ascii: "@") || first == UInt8(ascii: "?") else { return nil }
    let text = String(decoding: raw, as: UTF8.self)
    if let absence = StringEntry.Absence(rawValue: String(text.dropFirst())), first == UInt8(ascii: "@") {
      self = .absent(absence)
      return
    }
    if first == UInt8(ascii: "?") {
      guard let name = Name(raw.dropFirst()), name.type.map({ $0 == "attr" }) ?? true else { return nil }
      self = .attribute
      return
    }
    var rest = raw.dropFirst()
    // `@+id/x` creates an id; `+` creates nothing else.
    let creates = rest.first == UInt8(ascii: "+")
    if creates { rest = rest.dropFirst() }
    let isPrivate = rest.first == UInt8(ascii: "*")
    if isPrivate { rest = rest.dropFirst() }
    guard let name = Name(rest), let type = name.type, Self.types.contains(type),
      !creates || type == "id" && !isPrivate
    else { return nil }
    switch (type, name.package) {
    case ("string", "android"): self = .system
    case ("string", _): self = .string(name: name.entry)
    default: self = .other(type: type)
    }
  }

  /// `[package:][type/]entry`, split at the first occurrence of each separator, as in aapt2's
  /// ExtractResourceName.
  private struct Name {
    private(set) var package: String?
    private(set) var type: String?
    let entry: String

    init?(_ bytes: ArraySlice<UInt8>) {
      var start = bytes.first == UInt8(ascii: "@") ? bytes.startIndex + 1 : bytes.startIndex
      for index in start..<max(start, bytes.endIndex) {
        if bytes[index] == UInt8(ascii: "/"), type == nil {
          type = String(decoding: bytes[start..<index], as: UTF8.self)
          start = index + 1
        } else if bytes[index] == UInt8(ascii: ":"), package == nil {
          package = String(decoding: bytes[start..<index], as: UTF8.self)
          start = index + 1
        }
      }
      entry = String(decoding: bytes[start...], as: UTF8.self)
      if package?.isEmpty == true || type?.isEmpty == true || entry.isEmpty { return nil }
    }
  }

  private static let types: Set<String> = [
    "anim", "animator", "array", "attr", "bool", "color", "dimen", "drawable", "font", "fraction", "id",
    "integer",
    "interpolator", "layout", "macro", "menu", "mipmap", "navigation", "plurals", "raw", "string", "style",
    "styleable", "transition", "xml",
  ]
}
