internal import JSON

/// A value that is no text but names one: `@string/x` (aapt2 ResourceUtils.cpp ParseReference,
/// ParseAttributeReference, TryParseNullOrEmpty).
enum AndroidReference: Equatable {
  /// `@null` and `@empty`.
  case empty
  /// A string of the app or of its libraries.
  case string(name: String)
  /// A string of the system, whose text only the phone knows.
  case system
  /// Another kind of resource.
  case other(type: String)
  /// `?attr/x`, and any other text that begins with `?`.
  case attribute

  /// Nil for a text, `@` or not.
  init?(_ raw: ArraySlice<UInt8>) {
    guard let first = raw.first, first == UInt8(ascii: "@") || first == UInt8(ascii: "?") else { return nil }
    let text = String(decoding: raw, as: UTF8.self)
    if text == "@null" || text == "@empty" {
      self = .empty
      return
    }
    if first == UInt8(ascii: "?") {
      guard let name = Name(raw.dropFirst()), name.type.map({ $0 == "attr" }) ?? true else { return nil }
      self = .attribute
      return
    }
    var rest = raw.dropFirst()
    if rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    if rest.first == UInt8(ascii: "*") { rest = rest.dropFirst() }
    guard let name = Name(rest), let type = name.type, Self.types.contains(type) else { return nil }
    switch (type, name.package) {
    case ("string", "android"): self = .system
    case ("string", _): self = .string(name: name.entry)
    default: self = .other(type: type)
    }
  }

  /// `[package:][type/]entry`.
  private struct Name {
    var package: String?
    var type: String?
    let entry: String

    init?(_ bytes: ArraySlice<UInt8>) {
      var rest = bytes
      if let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
        var type = rest[..<slash]
        rest = rest[(slash + 1)...]
        if let colon = type.firstIndex(of: UInt8(ascii: ":")) {
          package = String(decoding: type[..<colon], as: UTF8.self)
          type = type[(colon + 1)...]
        }
        self.type = String(decoding: type, as: UTF8.self)
      } else if let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
        package = String(decoding: rest[..<colon], as: UTF8.self)
        rest = rest[(colon + 1)...]
      }
      entry = String(decoding: rest, as: UTF8.self)
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
