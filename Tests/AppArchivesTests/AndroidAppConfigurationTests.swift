import AppStrings
import Testing

@testable import AppArchives

/// The qualifiers of configurations in built apps, as aapt2 writes them.
@Suite struct AndroidAppConfigurationTests {
  /// A `ResTable_config` with some bytes that are not 0.
  private func binary(_ bytes: [Int: UInt8]) -> AndroidAppConfiguration? {
    var content = [UInt8](repeating: 0, count: 64)
    content[0] = 64
    for (place, byte) in bytes { content[place] = byte }
    return AndroidAppConfiguration(LittleEndianBytes(content), at: 0, limit: 64)
  }

  @Test(
    arguments: [
      ([:], nil), ([24: 23], nil), ([24: 31], "v31"), ([30: 0x58, 31: 2, 24: 13], "sw600dp"),
      ([12: 2, 29: 0x20], "land-night"), ([29: 0x12], "desk-notnight"),
      ([4: 0x36, 5: 1, 28: 0x80], "mcc310-ldrtl"),
      ([28: 0x24, 48: 2], "xlarge-long-round"), ([14: 0xFF, 15: 0xFF], "nodpi"),
      ([14: 0x40, 15: 1], "xhdpi"),
      ([18: 0x05], "keysexposed-navexposed"), ([49: 0x06], "widecg-lowdr"),
      ([20: 0xE0, 21: 1, 22: 0x40, 23: 1], "480x320"),
      ([19: 2, 24: 34], "feminine-v34"), ([28: 0x0F], "any"),
    ] as [([Int: UInt8], String?)])
  func binaryOnesHaveTheNamesOfFolders(bytes: [Int: UInt8], qualifiers: String?) throws {
    let configuration = try #require(binary(bytes))
    #expect(configuration.qualifiers == qualifiers)
    #expect(configuration.isConditional == (qualifiers != nil))
  }

  /// Fields of protobuf: the number times 8, then the value.
  @Test(
    arguments: [
      ([], nil), ([0xC0, 1, 23], nil), ([0xC0, 1, 31], "v31"), ([72, 0xD8, 4, 0xC0, 1, 13], "sw600dp"),
      ([120, 2, 0x88, 1, 1], "land-night"), ([0x80, 1, 2, 0x88, 1, 2], "desk-notnight"),
      ([8, 0xB6, 2, 32, 2], "mcc310-ldrtl"), ([40, 0xC0, 2, 48, 0xE0, 3], "480x320"), ([120, 0], nil),
      ([0xD8, 1, 7], "axis27"), ([104, 1, 112, 2], "widecg-lowdr"),
      ([72, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1], "sw9223372036854775807dp"),
    ] as [([UInt8], String?)])
  func thoseOfBundlesHaveThemToo(bytes: [UInt8], qualifiers: String?) {
    let configuration = AndroidAppConfiguration(ProtobufMessage(bytes), identity: bytes[...])
    #expect(configuration.qualifiers == qualifiers)
    #expect(configuration.isConditional == (qualifiers != nil))
  }
}
