internal import AppArchives
package import AppStrings
package import Catalog
package import FCMMessage

/// The string resources of both platforms that a catalog names.
package struct AppResources: Sendable {
  package let android: StringResources?
  package let ios: StringResources?
  /// The language that the app is written in and that iOS falls back to: `development_language`.
  package let developmentLanguage: String?

  package init(
    android: StringResources? = nil, ios: StringResources? = nil, developmentLanguage: String? = nil
  ) {
    self.android = android
    self.ios = ios
    self.developmentLanguage = developmentLanguage
  }

  /// Reads both folders; nil if the catalog names none. Their `problems` describe what cannot be read.
  package init?(of catalog: Catalog) {
    guard let resources = catalog.resources, resources.android != nil || resources.ios != nil else {
      return nil
    }
    self.init(
      android: resources.android.map { StringResources.read(.android, from: $0) },
      ios: resources.ios.map { StringResources.read(.ios, from: $0) },
      developmentLanguage: resources.developmentLanguage)
  }

  package subscript(platform: AppPlatform) -> StringResources? {
    platform == .android ? android : ios
  }
}
