import AppStrings
import Foundation
import JSON
import Testing

@testable import AppArchives

/// The icons of built apps.
@Suite struct BuiltIconTests {
  private static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
    + [0, 0, 0, 180, 0, 0, 0, 180]
  private static let apple = png.map { $0 }.replacing(Array("IHDR".utf8), with: Array("CgBI".utf8))

  private func icon(_ files: [String: [UInt8]], isAndroid: Bool) throws -> AppIcon? {
    let archive = try ZipArchive(ByteSource(ZipWriter(files).bytes), limits: .init())
    return try isAndroid
      ? AndroidAppReader(path: "x", limits: .init(), keys: nil).read(archive)?.appIcon
      : AppleAppReader(path: "x", limits: .init(), keys: nil).read(archive)?.appIcon
  }

  private func parts(of app: String, _ names: [String]) throws -> [String: [UInt8]] {
    let path = "\(AndroidAppTests.fixtures)/apps/\(app)"
    let archive = try ZipArchive(ByteSource(file: path), limits: .init())
    return try Dictionary(uniqueKeysWithValues: names.map { ($0, try archive.read(#require(archive[$0]))) })
  }

  @Test func isWhereAnAndroidBuildKeepsIt() throws {
    var package = try parts(of: "dense.apk", ["AndroidManifest.xml", "resources.arsc"])
    #expect(try icon(package, isAndroid: true) == nil)
    package["res/mipmap-hdpi-v4/ic_launcher.png"] = Array("<svg/>".utf8)
    #expect(try icon(package, isAndroid: true) == nil)
    package["res/mipmap-xhdpi-v4/ic_launcher.png"] = Self.png
    #expect(try icon(package, isAndroid: true)?.bytes == Self.png)
    var bundle = try parts(of: "app.aab", ["base/manifest/AndroidManifest.xml", "base/resources.pb"])
    bundle["base/res/mipmap-xxhdpi-v4/ic_launcher.png"] = Self.png
    #expect(try icon(bundle, isAndroid: true)?.bytes == Self.png)
  }

  @Test func isWhereAnIOSBuildKeepsItInAFormThatBrowsersRead() throws {
    let app = Dictionary(
      uniqueKeysWithValues: try AppleAppTests.files().map { ("Payload/Shop.app/\($0.key)", $0.value) })
    func with(_ bytes: [UInt8]) throws -> AppIcon? {
      try icon(
        app.merging(["Payload/Shop.app/AppIcon60x60@2x.png": bytes]) { _, own in own }, isAndroid: false)
    }
    #expect(try icon(app, isAndroid: false) == nil)
    #expect(try with(Self.apple) == nil)
    #expect(try with(Self.png)?.mediaType == "image/png")
  }
}
