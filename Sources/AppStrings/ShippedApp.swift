package import JSON

/// What a built app says about itself, and what its build did to the names of its strings.
package struct ShippedApp: Sendable {
  /// Android's versionName or iOS's CFBundleShortVersionString; nil if the app has none.
  package let version: String?
  /// The application's id or the bundle's identifier.
  package let package: String?
  /// iOS: CFBundleDevelopmentRegion.
  package let developmentLanguage: String?
  /// Android: the texts of `values/` that the app has under an obfuscated name, each with that name.
  package let renamedTexts: [ExactText: String]
  /// Android: whether the build replaced the names of strings by meaningless ones.
  package let hasObfuscatedNames: Bool

  package init(
    version: String?, package: String?, developmentLanguage: String? = nil,
    renamedTexts: [ExactText: String] = [:], hasObfuscatedNames: Bool = false
  ) {
    self.version = version
    self.package = package
    self.developmentLanguage = developmentLanguage
    self.renamedTexts = renamedTexts
    self.hasObfuscatedNames = hasObfuscatedNames
  }
}
