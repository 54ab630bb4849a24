internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// A key whose text a built Android app has under an obfuscated name, where no push message finds it.
struct RenamedKey {
  private let key: String
  /// The name that the build gave it; nil if all that is known is that the build replaced the names.
  private let name: String?

  /// Nil if nothing says that the key, which the app lacks, was renamed. `next` is the source that it may
  /// come from, and `others` are other releases; they tell the key's text.
  init?(_ key: String, in app: StringResources, next: StringResources?, others: [StringResources]) {
    guard app.platform == .android, let shipped = app.shipped else { return nil }
    let sources = [next].compactMap(\.self) + others
    let texts = sources.compactMap { source in
      source.tables.first { $0.locale == nil }?[key]?.text
    }
    let name = texts.lazy.compactMap { shipped.renamedTexts[ExactText($0)] }.first { name in
      // A short name that the source has, or else a build without replaced names, is a name of its own.
      !(next.map { [$0] } ?? others).contains { source in
        source.shipped?.hasObfuscatedNames != true && source.tables.contains { $0[name] != nil }
      }
    }
    let isUnknown = texts.isEmpty && next == nil && shipped.hasObfuscatedNames
    guard name != nil || isUnknown else { return nil }
    (self.key, self.name) = (key, name)
  }

  /// What to report; `build` begins the sentence: "The build of release 4.1.0".
  func finding(in build: FindingText) -> Finding {
    Finding(
      .keyRenamed, name == nil ? .renamed : .renamedTo, [build, (name ?? key).shortForMessage],
      help: .exemptKey, [key])
  }
}

extension String {
  /// At most 80 characters, for a message.
  fileprivate var shortForMessage: String {
    unicodeScalars.count <= 80 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(80))) + "…"
  }
}
