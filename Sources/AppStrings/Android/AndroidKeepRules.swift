internal import FCMMessage
internal import JSON

/// The strings that the resource shrinker keeps: `tools:keep` in the root of the XML files in `res/raw*/`
/// (developer.android.com, "Customize which resources to keep").
struct AndroidKeepRules {
  /// Patterns for names of strings; nil if no file has any.
  private(set) var names: [Glob]?

  /// Adds the rules of one file. Like the shrinker, this ignores a file that is not XML.
  mutating func read(_ bytes: [UInt8], limits: AndroidLimits) {
    var xml = XMLReader(bytes, limits: limits)
    guard case .start(let root)? = try? xml.next(), root.name == "resources",
      let keep = root.value(of: "keep", in: .tools)
    else { return }
    var globs = names ?? []
    for pattern in keep.utf8.split(separator: UInt8(ascii: ",")) {
      let text = String(decoding: Array(pattern.trimmedAndroidSpace), as: UTF8.self)
      guard text.utf8.first == UInt8(ascii: "@"), let slash = text.utf8.firstIndex(of: UInt8(ascii: "/"))
      else {
        continue
      }
      let type = text[..<slash].dropFirst().utf8.split(separator: UInt8(ascii: ":")).last.map {
        String($0) ?? ""
      }
      guard type == "string" else { continue }
      globs.append(Glob(String(text[text.utf8.index(after: slash)...])))
    }
    names = globs
  }
}
