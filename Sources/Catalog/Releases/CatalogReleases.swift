package import FCMMessage

/// The releases of the apps that users may still have, besides the one that `resources` describes, which is
/// the next one.
package struct CatalogReleases: Sendable, Equatable {
  /// A release and the strings that it shipped.
  package struct Release: Sendable, Equatable {
    package let version: ReleaseVersion
    /// The path of a built app, a snapshot or a folder; relative paths are already resolved.
    package let resources: String
    /// The line of the catalog that names it, from 1.
    package let line: Int
  }

  /// By version, oldest first.
  package let android: [Release]
  /// By version, oldest first.
  package let ios: [Release]

  package static let none = CatalogReleases(android: [], ios: [])

  /// The maximum number of releases of a platform.
  package static let countMax = 200

  package subscript(platform: AppPlatform) -> [Release] { platform == .android ? android : ios }

  package var isEmpty: Bool { android.isEmpty && ios.isEmpty }
}

/// The releases from which on a template may be sent; nil on a platform means any.
package struct ReleaseFloor: Sendable, Equatable {
  package let android: ReleaseVersion?
  package let ios: ReleaseVersion?

  package static let none = ReleaseFloor(android: nil, ios: nil)

  package subscript(platform: AppPlatform) -> ReleaseVersion? { platform == .android ? android : ios }

  /// Whether the template may be sent to a release.
  package func allows(_ version: ReleaseVersion, on platform: AppPlatform) -> Bool {
    self[platform].map { version >= $0 } ?? true
  }
}
