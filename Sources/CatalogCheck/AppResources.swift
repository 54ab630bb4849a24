package import AppStrings
package import Catalog
package import FCMMessage

/// The string resources that a catalog names, of both platforms; nil for one that it does not name.
package struct AppResources: Sendable {
  package let android: StringResources?
  package let ios: StringResources?
  /// The language in which the app is written, and which iOS falls back to: `development_language`.
  package let developmentLanguage: String?

  package init(
    android: StringResources? = nil, ios: StringResources? = nil, developmentLanguage: String? = nil
  ) {
    self.android = android
    self.ios = ios
    self.developmentLanguage = developmentLanguage
  }

  /// Reads both folders; nil where the catalog names none. What cannot be read stands in their `problems`.
  package init?(of catalog: Catalog) {
    guard let resources = catalog.resources, resources.android != nil || resources.ios != nil else {
      return nil
    }
    self.init(
      android: resources.android.map { StringResources.read(.android, folder: $0) },
      ios: resources.ios.map { StringResources.read(.ios, folder: $0) },
      developmentLanguage: resources.developmentLanguage)
  }

  package subscript(platform: AppPlatform) -> StringResources? {
    platform == .android ? android : ios
  }
}
