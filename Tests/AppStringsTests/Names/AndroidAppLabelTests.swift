import Testing

@testable import AppStrings

/// What Android phones call an app.
@Suite struct AndroidAppLabelTests {
  private static let strings = ProjectFixture.strings

  private static func manifest(_ label: String?) -> String {
    let label = label.map { " android:label=\"\($0)\"" } ?? ""
    return """
      <manifest xmlns:android="http://schemas.android.com/apk/res/android">
        <uses-permission android:name="android.permission.INTERNET"/>
        <application android:icon="@mipmap/ic_launcher"\(label)>
          <activity android:name=".Main" android:label="Main"/>
        </application>
      </manifest>
      """
  }

  private static func project(_ files: [String: String], flavors: String = "") throws -> ProjectFixture {
    let app = [
      "settings.gradle": "include ':app', ':push'",
      "app/build.gradle": """
      plugins { id 'com.android.application' }
      android { \(flavors) }
      dependencies { implementation project(':push') }
      """,
      "push/build.gradle": "plugins { id 'com.android.library' }",
      "app/src/main/res/values/strings.xml": strings("shop=Shop", "app_name=Template", "alias=@string/shop"),
      "app/src/main/res/values-de/strings.xml": strings("shop=Laden"),
      "push/src/main/res/values/strings.xml": strings("body=Push"),
    ]
    return try ProjectFixture(app.merging(files) { _, own in own })
  }

  private func name(_ resources: StringResources, _ locale: String) -> String? {
    DeviceStrings(resources, preferring: [locale], developmentLanguage: "en").appName
  }

  @Test func isTheStringThatTheManifestNamesInThePhonesLanguage() throws {
    let project = try Self.project([
      "app/src/main/AndroidManifest.xml": Self.manifest("@string/shop"),
      "push/src/main/AndroidManifest.xml": Self.manifest("Library"),
    ])
    for resources in [project.android(), project.android("app/src/main/res")] {
      #expect(name(resources, "de-AT") == "Laden")
      #expect(name(resources, "ja") == "Shop")
      #expect(name(resources.without(languages: ["de"]), "de") == "Shop")
      #expect(name(resources.keeping([]), "de") == "Laden", "whichever keys are kept")
    }
  }

  @Test func canBeATextOrAnotherString() throws {
    for (label, shown) in [("Corner Shop", "Corner Shop"), ("@string/alias", "Shop"), ("@string/none", nil)] {
      let project = try Self.project(["app/src/main/AndroidManifest.xml": Self.manifest(label)])
      #expect(name(project.android(), "en") == shown, "\(label)")
    }
    let long = String(repeating: "x", count: AppName.bytesMax + 1)
    let project = try Self.project(["app/src/main/AndroidManifest.xml": Self.manifest(long)])
    #expect(name(project.android(), "en") == nil)
  }

  @Test func isThatOfTheVariant() throws {
    let project = try Self.project(
      [
        "app/src/main/AndroidManifest.xml": Self.manifest("@string/shop"),
        "app/src/pro/AndroidManifest.xml": Self.manifest("Shop Pro"),
        "app/src/pro/res/values/strings.xml": Self.strings("pro=yes"),
      ], flavors: "productFlavors { free {} \n pro {} }")
    #expect(name(project.android(variant: "pro"), "de") == "Shop Pro")
    #expect(name(project.android(variant: "free"), "de") == "Laden")
  }

  /// Android Studio calls the string `app_name`, and few projects call it otherwise.
  @Test(arguments: [nil, "${appName}", "@dimen/shop"])
  func isTheStringOfTheUsualNameIfNothingElseIsKnown(_ label: String?) throws {
    let project = try Self.project(["app/src/main/AndroidManifest.xml": Self.manifest(label)])
    #expect(name(project.android(), "de") == "Template")
    let folder = try ProjectFixture(["res/values/strings.xml": Self.strings("app_name=Shop")])
    #expect(name(folder.android("res"), "de") == "Shop")
    let nameless = try ProjectFixture(["res/values/strings.xml": Self.strings("body=Shop")])
    #expect(name(nameless.android("res"), "de") == nil)
  }

  @Test func isNotReadFromOutsideTheProject() throws {
    let outside = try ProjectFixture(["AndroidManifest.xml": Self.manifest("Elsewhere")])
    let project = try Self.project([:])
    try project.link("app/src/main/AndroidManifest.xml", to: outside.path("AndroidManifest.xml"))
    #expect(name(project.android(), "en") == "Template")
  }
}
