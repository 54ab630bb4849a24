internal import JSON

/// What phones show beside an app's notifications, as a browser can draw it: a PNG or a WebP.
///
/// An SVG or Android's XML can contain anything and is none. The PNGs of a built iOS app are in a form of
/// Apple's own (CgBI) that browsers cannot read.
package struct AppIcon: Sendable, Equatable {
  package let bytes: [UInt8]
  /// `image/png` or `image/webp`.
  package let mediaType: String
  /// The same for the same bytes, so that whoever has the icon need not ask for it again.
  package let id: String

  /// Larger files are no icons, and the largest that stores want has 1,024 pixels a side.
  package static let bytesMax = 512 << 10
  static let sideMax = 1_024

  /// Nil for anything else than a picture of that size.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.bytesMax else { return nil }
    if let size = Self.sizeOfPNG(bytes), Self.isFine(size) {
      mediaType = "image/png"
    } else if let size = Self.sizeOfWebP(bytes), Self.isFine(size) {
      mediaType = "image/webp"
    } else {
      return nil
    }
    self.bytes = bytes
    // FNV-1a. Two icons that share it are taken for one.
    let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    id = String(hash, radix: 16)
  }

  /// The first of some files that is one; `files` says which may be read.
  static func first(of paths: some Sequence<String>, in files: ProjectFiles?) -> AppIcon? {
    var files = files
    for path in paths where ResourceFile.size(of: path) != nil && files?.contains(path) ?? true {
      if let icon = (try? RegularFile.read(path, bytesMax: bytesMax)).flatMap({ AppIcon($0) }) { return icon }
    }
    return nil
  }

  private static func isFine(_ size: (width: Int, height: Int)) -> Bool {
    (1...sideMax).contains(size.width) && (1...sideMax).contains(size.height)
  }

  /// PNG specification, "PNG signature" and "IHDR".
  private static func sizeOfPNG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    guard bytes.count >= 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
      bytes[12..<16].elementsEqual("IHDR".utf8)
    else { return nil }
    return (bytes[16..<20].reduce(0) { $0 << 8 | Int($1) }, bytes[20..<24].reduce(0) { $0 << 8 | Int($1) })
  }

  /// RFC 9649: the first chunk has the size, in one of three forms.
  private static func sizeOfWebP(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    guard bytes.count >= 30, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) else {
      return nil
    }
    func number(_ at: Int, _ count: Int) -> Int {
      bytes[at..<at + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    switch String(decoding: bytes[12..<16], as: UTF8.self) {
    case "VP8 ":
      guard bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
      return (number(26, 2) & 0x3FFF, number(28, 2) & 0x3FFF)
    case "VP8L":
      guard bytes[20] == 0x2F else { return nil }
      return (number(21, 4) & 0x3FFF + 1, number(21, 4) >> 14 & 0x3FFF + 1)
    case "VP8X": return (number(24, 3) + 1, number(27, 3) + 1)
    default: return nil
    }
  }
}
