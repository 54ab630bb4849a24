/// Names that a build gives to resources in place of their own.
enum ObfuscatedName {
  /// The name that aapt2 and bundletool give to every collapsed resource (aapt2 Obfuscator.cpp).
  static let collapsed = "0_resource_name_obfuscated"

  /// Whether the name can be a replacement: the collapsed name, that of Facebook's tools, or one of at most
  /// three characters, as AndResGuard and AabResGuard make.
  static func isPossible(_ name: String) -> Bool {
    name.utf8.count <= 3 || name == collapsed || name.hasPrefix("(name removed")
  }

  /// Whether most names of a table were replaced.
  static func arePrevalent(in names: [String]) -> Bool {
    names.contains(collapsed) || 2 * names.count(where: isPossible) > names.count
  }
}
