import Foundation
import TestSupport
import Testing

@testable import AppStrings

/// What phones show beside an app's notifications.
@Suite struct AppIconTests {
  /// The first bytes of a picture tell what it is; only a browser reads the rest.
  private static func png(_ width: Int, _ height: Int? = nil, chunk: String = "IHDR") -> [UInt8] {
    let sides = [width, height ?? width].flatMap { side in
      (0..<4).map { UInt8(truncatingIfNeeded: side >> (24 - 8 * $0)) }
    }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array(chunk.utf8) + sides
  }

  private static func webp(_ form: String, _ content: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP\(form)".utf8) + [0, 0, 0, 0] + content
      + [0, 0, 0, 0, 0, 0]
  }

  private static let webps = [
    webp("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 192, 0x40, 192, 0]),
    webp("VP8L", [0x2F, 0xBF, 0xC0, 0x2F, 0, 0]),
    webp("VP8X", [0, 0, 0, 0, 191, 0, 0, 191, 0, 0]),
  ]

  private func write(_ files: [String: [UInt8]], to project: ProjectFixture) throws {
    for (name, bytes) in files {
      let url = URL(filePath: project.path(name))
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: url)
    }
  }

  @Test func isAPictureThatABrowserReads() throws {
    for side in [1, 48, 1_024] { #expect(AppIcon(Self.png(side))?.mediaType == "image/png", "\(side)") }
    for (index, bytes) in Self.webps.enumerated() {
      #expect(AppIcon(bytes)?.mediaType == "image/webp", "\(index)")
      for length in bytes.indices { _ = AppIcon(Array(bytes.prefix(length))) }
    }
    let (one, other) = (try #require(AppIcon(Self.png(48))), try #require(AppIcon(Self.png(49))))
    #expect(one.id != other.id && one.id == AppIcon(Self.png(48))?.id)
    #expect(one.id.utf8.allSatisfy { $0.isASCIIAlphanumeric } && (1...16).contains(one.id.utf8.count))
  }

  @Test func isNothingElse() {
    let large = Self.png(48) + [UInt8](repeating: 0, count: AppIcon.bytesMax)
    let wide = Self.webp("VP8X", [0, 0, 0, 0, 0, 4, 0, 191, 0, 0])
    for bytes in [
      [], Array(Self.png(48).dropLast()), Self.png(1_025), Self.png(48, 1_025), Self.png(0), Self.png(48, 0),
      Self.png(1 << 31), large, wide, Self.webp("VP8 ", []), Self.webp("VP8L", [0x2E]), Self.webp("ICCP", []),
      // Apple's own form of a PNG.
      Self.png(48, chunk: "CgBI"),
      Array("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"48\" height=\"48\"/>".utf8),
      Array("GIF89a".utf8) + [UInt8](repeating: 48, count: 40), [0xFF, 0xD8, 0xFF] + Self.png(48),
    ] { #expect(AppIcon(bytes) == nil, "\(bytes.prefix(20))") }
  }

  private static func manifest(_ icon: String) -> String {
    "<manifest xmlns:android=\"http://schemas.android.com/apk/res/android\"><application \(icon)/></manifest>"
  }

  private func android(_ icon: String, _ files: [String: [UInt8]]) throws -> AppIcon? {
    let project = try ProjectFixture([
      "AndroidManifest.xml": Self.manifest(icon), "res/values/strings.xml": ProjectFixture.strings("a=b"),
    ])
    try write(files, to: project)
    return project.android("res").appIcon
  }

  @Test func isWhatAnAndroidManifestNamesInTheHighestDensity() throws {
    let files = [
      "res/mipmap-xxxhdpi/ic_launcher.png": Self.png(192), "res/mipmap-mdpi/ic_shop.webp": Self.webps[0],
      "res/mipmap-hdpi/ic_shop.png": Self.png(72), "res/drawable-hdpi/other.png": Self.png(70),
      "res/mipmap-xhdpi/ic_shop.png": Array("no picture".utf8),
    ]
    #expect(try android("android:icon=\"@mipmap/ic_shop\"", files)?.bytes == Self.png(72))
    #expect(try android("android:icon=\"@drawable/other\"", files)?.bytes == Self.png(70))
    #expect(try android("", files)?.bytes == Self.png(192), "the usual name")
    for name in ["@mipmap/none", "@mipmap/../mipmap-hdpi/ic shop", "${icon}"] {
      #expect(try android("android:icon=\"\(name)\"", files) == nil, "\(name)")
    }
    let adaptive = ["res/mipmap-xhdpi/ic_launcher_foreground.webp": Self.webps[1]]
    #expect(try android("android:icon=\"@mipmap/ic_launcher\"", adaptive)?.bytes == Self.webps[1])
  }

  @Test func isNotReadFromOutsideTheProject() throws {
    let outside = try ProjectFixture([:])
    try write(["icon.png": Self.png(48)], to: outside)
    let project = try ProjectFixture([
      "settings.gradle": "include ':app'", "app/build.gradle": "plugins { id 'com.android.application' }",
      "app/src/main/res/values/strings.xml": ProjectFixture.strings("a=b"),
      "app/src/main/res/mipmap/readme.txt": "",
    ])
    try project.link("app/src/main/res/mipmap/ic_launcher.png", to: outside.path("icon.png"))
    #expect(project.android().appIcon == nil)
    try write(["app/src/main/res/mipmap/ic_launcher.webp": Self.webps[2]], to: project)
    #expect(project.android().appIcon?.bytes == Self.webps[2])
  }

  private static let contents = """
    {"images": [
      {"filename": "dark.png", "idiom": "universal", "platform": "ios", "size": "180x180",
       "appearances": [{"appearance": "luminosity", "value": "dark"}]},
      {"filename": "small.png", "idiom": "iphone", "scale": "2x", "size": "20x20"},
      {"filename": "store.png", "idiom": "ios-marketing", "scale": "1x", "size": "1024x1024"},
      {"filename": "home.png", "idiom": "iphone", "scale": "3x", "size": "60x60"},
      {"filename": "watch.png", "idiom": "watch", "scale": "2x", "size": "60x60"},
      {"filename": "../../secret.png", "idiom": "iphone", "scale": "2x", "size": "60x60"},
      {"idiom": "iphone", "scale": "2x", "size": "60x60"}]}
    """

  private func set(_ place: String, _ sizes: [String: Int]) -> [String: [UInt8]] {
    var files = ["\(place)/Contents.json": Array(Self.contents.utf8)]
    for (name, side) in sizes { files["\(place)/\(name).png"] = Self.png(side) }
    return files
  }

  @Test func isInTheAssetCatalogOfAnIOSApp() throws {
    let all = ["dark": 360, "small": 40, "store": 1_024, "home": 180, "watch": 120]
    for (sizes, side) in [(all, 180), (["store": 1_024, "small": 40], 1_024), (["small": 40], 40)] {
      let project = try ProjectFixture([
        "App/en.lproj/Localizable.strings": "a = b;",
        "Widget/Info.plist": "<plist><dict><key>NSExtension</key><dict/></dict></plist>",
      ])
      try write(set("App/Assets.xcassets/AppIcon.appiconset", sizes), to: project)
      try write(set("Widget/A.xcassets/AppIcon.appiconset", ["home": 181]), to: project)
      try write(["App/Assets.xcassets/secret.png": Self.png(50)], to: project)
      #expect(project.ios().appIcon?.bytes == Self.png(side), "\(sizes)")
    }
    let none = try ProjectFixture(["App/en.lproj/Localizable.strings": "a = b;"])
    try write(set("App/Assets.xcassets/Other.appiconset", all), to: none)
    #expect(none.ios().appIcon == nil)
  }

  @Test func isTheSetThatTheXcodeProjectNames() throws {
    let strings = "Localizable.strings: App/en.lproj/Localizable.strings"
    let xcode = XcodeFixture(targets: [
      .init(
        name: "App", resources: [strings, "App/Assets.xcassets"],
        settings: ["ASSETCATALOG_COMPILER_APPICON_NAME": "Beta"])
    ])
    let project = try ProjectFixture([
      "App.xcodeproj/project.pbxproj": xcode.text, "App/en.lproj/Localizable.strings": "a = b;",
    ])
    try write(set("App/Assets.xcassets/Beta.appiconset", ["home": 181]), to: project)
    try write(set("App/Assets.xcassets/AppIcon.appiconset", ["home": 180]), to: project)
    try write(set("Kit/Assets.xcassets/Beta.appiconset", ["home": 182]), to: project)
    #expect(project.ios().appIcon?.bytes == Self.png(181))
  }
}
