internal import JSON

/// The label of an Android app: `android:label` of `<application>` in its manifest
/// (developer.android.com, "<application>").
enum AndroidAppLabel {
  /// The string that Android Studio makes for a new app's name.
  static let usualKey = "app_name"

  /// What phones call the app of a layout, which has these strings. Where no manifest has a label, or the
  /// build computes it, the string of the usual name counts.
  static func name(of layout: AndroidLayout, in tables: [StringTable], _ limits: AndroidLimits) -> AppName? {
    let label = attribute("label", of: layout, limits) ?? ""
    switch AndroidReference(Array(label.utf8)[...]) {
    case .string(let key): return AppName(string: key, in: tables)
    case nil where !label.isEmpty && !label.contains("${"): return AppName(label)
    default: return AppName(string: usualKey, in: tables)
    }
  }

  /// What the manifest says that wins among those of the source sets of the app's own module.
  static func attribute(_ name: StaticString, of layout: AndroidLayout, _ limits: AndroidLimits) -> String? {
    var files = layout.files
    let module = layout.sourceSets.first?.module
    let own = layout.sourceSets.filter { $0.module == module && $0.values.isEmpty }.map(\.folder)
    for folder in own + [layout.ownFolder].compactMap(\.self) {
      let path = ProjectFiles.path(folder, "../AndroidManifest.xml")
      guard files?.contains(path) ?? true,
        let manifest = try? RegularFile.read(path, bytesMax: limits.fileBytesMax)
      else { continue }
      if let value = attribute(name, in: manifest, limits) { return value }
    }
    return nil
  }

  private static func attribute(
    _ name: StaticString, in manifest: [UInt8], _ limits: AndroidLimits
  ) -> String? {
    var xml = XMLReader(manifest, limits: limits)
    while let event = try? xml.next() {
      switch event {
      case .start(let element) where element.name == "application":
        return element.value(of: name, in: .other)
      case .start, .end: continue
      case .finished: return nil
      }
    }
    return nil
  }
}
