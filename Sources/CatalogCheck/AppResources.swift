internal import AppArchives
package import AppStrings
package import Catalog
package import FCMMessage
internal import JSON

/// The string resources of both platforms that a catalog names.
package struct AppResources: Sendable {
  package let android: StringResources?
  package let ios: StringResources?
  /// What the catalog names: `development_language`. Use `developmentLanguage(on:)` for that of a platform.
  package let developmentLanguage: String?
  /// The languages that the app ships: `locales`; nil if it ships all that the resources have.
  let locales: LanguageList?
  /// The names of the tables that `android` and `ios` leave out because the app does not ship them.
  var unshipped: [AppPlatform: [String]]
  /// For each iOS language whose folder has plurals only: the table with its other texts.
  let substitutes: [ExactText: StringTable]
  /// Where texts are written if not as native strings; nil if all are native.
  var sources: AppSources?

  package init(
    android: StringResources? = nil, ios: StringResources? = nil, developmentLanguage: String? = nil,
    locales: LanguageList? = nil
  ) {
    self.developmentLanguage = developmentLanguage
    self.locales = locales
    guard let locales else {
      (self.android, self.ios, unshipped) = (android, ios, [:])
      substitutes = Self.substitutes(in: ios, developmentLanguage)
      return
    }
    func shipped(_ resources: StringResources) -> (resources: StringResources, others: [String]) {
      let language = resources.developmentLanguage(named: developmentLanguage)
      return ShippedLanguages(locales, developmentLanguage: language).shipped(of: resources)
    }
    let (ofAndroid, ofIOS) = (android.map(shipped), ios.map(shipped))
    (self.android, self.ios) = (ofAndroid?.resources, ofIOS?.resources)
    unshipped = [.android: ofAndroid?.others ?? [], .ios: ofIOS?.others ?? []]
    substitutes = Self.substitutes(in: self.ios, developmentLanguage)
  }

  /// Reads both folders; nil if `resources` names none. Their `problems` describe what cannot be read.
  package init?(_ resources: Catalog.Resources?) {
    guard let resources, resources.android != nil || resources.ios != nil else { return nil }
    self.init(
      readingAndroid: resources.android, ios: resources.ios,
      developmentLanguage: resources.developmentLanguage, locales: resources.locales)
  }

  /// Reads what is at the locations.
  package init(
    readingAndroid android: ResourceLocation?, ios: ResourceLocation?, developmentLanguage: String?,
    locales: LanguageList? = nil
  ) {
    self.init(
      android: android.map { StringResources.read(.android, from: $0) },
      ios: ios.map { StringResources.read(.ios, from: $0) }, developmentLanguage: developmentLanguage,
      locales: locales)
  }

  package subscript(platform: AppPlatform) -> StringResources? {
    platform == .android ? android : ios
  }

  /// The language that the platform's app is written in, and that iPhones fall back to; nil if nothing tells.
  func developmentLanguage(on platform: AppPlatform) -> String? {
    self[platform]?.developmentLanguage(named: developmentLanguage) ?? developmentLanguage
  }
}
