import Foundation
import Testing
import TestSupport

@testable import AppStrings

@Suite struct AppleXMLPropertyListTests {
  static let head =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
    + "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"

  /// What may occur as a value.
  static let values = [
    "<string>b</string>", "<string/>", "<string></string>", "<string>a&lt;&gt;&amp;&apos;&quot;b</string>",
    "<string>&#233;&#xe9;&#xE9;&#x1F600;</string>", "<string>&#xd800;</string>",
    "<string>&#x110000;</string>",
    "<string>&#;</string>", "<string>&#x;</string>", "<string>&#0;</string>", "<string>&#123456789;</string>",
    "<string>&#12345678;</string>", "<string>&#x0000041;</string>", "<string>&#x000000041;</string>",
    "<string>&nbsp;</string>",
    "<string>&#X41;</string>",
    "<string>&</string>", "<string>&amp</string>", "<string><![CDATA[<b>&amp;]]></string>",
    "<string>a<![CDATA[b]]>c</string>",
    "<string><![CDATA[b]]</string>", "<string><!-- c --></string>", "<string><b>x</b></string>",
    "<string>\u{FEFF}b</string>",
    "<string> b\n</string>", "<string>b</string >", "<string>b< /string>", "<string a='>'>b</string>",
    "<string a=\"1\">b</string>",
    "<string />", "<string / >b</string>", "<string/x>", "<String>b</String>", "<key>b</key>", "<key/>",
    "<array/>",
    "<array><string>a</string><integer>1</integer></array>", "<array></array>", "<array>x</array>", "<dict/>",
    "<dict><key>x</key><string>y</string></dict>", "<dict><key>x</key></dict>",
    "<dict><string>x</string></dict>",
    "<dict><key>CF$UID</key><integer>1</integer></dict>", "<true/>", "<false/>", "<true></true>",
    "<true>x</true>", "<true>",
    "<integer>1</integer>", "<integer> 1</integer>", "<integer>1 </integer>", "<integer>-0x1F</integer>",
    "<integer>+ 7</integer>",
    "<integer></integer>", "<integer>0x</integer>", "<integer>00</integer>",
    "<integer>18446744073709551615</integer>",
    "<integer>18446744073709551616</integer>", "<integer>-9223372036854775808</integer>",
    "<integer>-9223372036854775809</integer>",
    "<integer>1.5</integer>", "<integer>a</integer>", "<integer/>", "<real>1.5</real>", "<real>-1e3</real>",
    "<real>.5</real>",
    "<real>5.</real>", "<real>nan</real>", "<real>+Infinity</real>", "<real>x</real>", "<real></real>",
    "<real> 1</real>",
    "<real>1 </real>", "<real>1e</real>", "<date>2020-01-01T00:00:00Z</date>",
    "<date>-1-01-01T00:00:00Z</date>",
    "<date>2020-1-01T00:00:00Z</date>", "<date>2020-01-01</date>", "<date/>", "<data>QUJD</data>",
    "<data>Q Q = =</data>",
    "<data>é</data>", "<data></data>", "<data/>", "<plist><string>b</string></plist>", "<foo/>", "b", "",
    "<?pi x?><string>b</string>", "<!-- c --><string>b</string>", "<!----><string>b</string>",
    "<!- c --><string>b</string>",
  ]

  /// Whole files.
  static let files =
    [
      "<plist><dict/></plist>", "<dict/>", "<plist/>", "<plist></plist>", "<plist><dict/><dict/></plist>",
      "<plist><dict/></plist>x",
      "<dict/>junk", "<plist><array/></plist>", "<plist><string>a</string></plist>", "<!-- c --><dict/>",
      "<!----><dict/>",
      "<!--x--><dict/>", "<!-- --><!-- --><dict/>", "<!DOCTYPE plist [<!ENTITY a 'b'>]><dict/>",
      "<!DOCTYPE plist><dict/>", "<!FOO><dict/>",
      "<?xml?><dict/>", "<?xml version='1.0' encoding='utf-8'?><dict/>",
      "<?xml version=\"1.0\" encoding='x-none'?><dict/>",
      "<?xml", "<?xml ", "<?xml version=\"1.0\" enc", " \n<dict/>", "\u{FEFF}<dict/>", "\u{FEFF} <dict/>",
      "\u{B}<dict/>", "<", "<>", "</dict>",
      "<dict", "<dict>", "<dict><key>a</key><string>b</string>", "<plist><dict></array></plist>",
      "<plist><dict></dict></list>",
      "<dict><key>a</key><string>b</string><key>a</key><string>c</string></dict>", "<dict><!-- é --></dict>",
      "<dict>\u{A0}</dict>",
      "<dict><key>a</key><!-- c --><string>b</string><?pi?></dict>",
      "<plist version=\"1.0\">\r\n<dict>\r\n</dict>\r\n</plist>\r\n",
    ]
    + values.map {
      head + "<plist version=\"1.0\"><dict><key>k</key>\($0)<key>l</key><string>m</string></dict></plist>"
    }

  @Test(arguments: files)
  func agreesWithFoundation(file: String) {
    #expect(PropertyListOracle.ours(Array(file.utf8)) == PropertyListOracle.reading(Array(file.utf8)))
  }

  @Test func agreesWithFoundationInUTF16() {
    for file in Self.files {
      let bytes: [UInt8] =
        [0xFF, 0xFE] + file.utf16.flatMap { unit in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
      #expect(PropertyListOracle.ours(bytes) == PropertyListOracle.reading(bytes), "\(file)")
    }
  }

  @Test func agreesWithFoundationOnLatin1() {
    for name in ["iso-8859-1", "ISO-8859-1", "us-ascii", "latin1"] {
      let bytes =
        Array("<?xml version='1.0' encoding='\(name)'?><dict><key>a</key><string>".utf8) + [0xE9]
        + Array("</string></dict>".utf8)
      #expect(PropertyListOracle.ours(bytes) == PropertyListOracle.reading(bytes), "\(name)")
    }
  }

  @Test func agreesWithFoundationOnMutations() {
    var generator = SeededGenerator(seed: 3)
    let spices = Array("<>/!?-&#;x[]\" é=".utf8)
    for file in Self.files {
      for _ in 0..<25 {
        let bytes = generator.mutated(Array(file.utf8), spices: spices)
        #expect(
          PropertyListOracle.ours(bytes) == PropertyListOracle.reading(bytes),
          "\(bytes.map { String($0, radix: 16) }) \(String(decoding: bytes, as: UTF8.self).debugDescription)")
      }
    }
  }

  @Test func survivesVeryDeepNesting() {
    for tag in ["<array>", "<plist>", "<dict><key>a</key>"] {
      let text = "<plist>" + String(repeating: tag, count: 200_000)
      #expect(throws: PropertyListError.self) { try PropertyListDocument.read(Array(text.utf8)) }
    }
  }

  @Test func reportsTheLinesOfKeysAndDuplicates() throws {
    let text =
      "<plist>\n<dict>\r\n<key>a</key>\n<string>1\n2</string>\r<key>b</key><string/>\n<key>a</key><string>3</string></dict></plist>"
    let root = try PropertyListDocument.read(Array(text.utf8)).root
    #expect(root.members.map(\.line) == [7, 6])
    #expect(root.duplicates.map(\.firstLine) == [3])
    #expect(root["a"]?.string == "3")
  }
}

@Suite struct AppleBinaryPropertyListTests {
  static var samples: [[String: Any]] {
    [
      [:], ["a": "b"], ["a": "é", "漢": "😀"],
      ["a": ["b", 1, 2.5, true, Data([1, 2]), Date(timeIntervalSince1970: 0)] as [Any]],
      ["a": ["b": ["c": "d"]]],
      Dictionary(uniqueKeysWithValues: (0..<300).map { ("key\($0)", "value \($0) of many more") }),
    ]
  }

  static func binary(_ value: [String: Any]) throws -> [UInt8] {
    Array(try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0))
  }

  @Test(arguments: 0..<6)
  func agreesWithFoundation(index: Int) throws {
    let bytes = try Self.binary(Self.samples[index])
    #expect(PropertyListOracle.ours(bytes) != nil)
    #expect(PropertyListOracle.ours(bytes) == PropertyListOracle.reading(bytes))
  }

  @Test(arguments: 0..<6)
  func hasNoLines(index: Int) throws {
    let root = try PropertyListDocument.read(Self.binary(Self.samples[index])).root
    #expect(root.members.allSatisfy { $0.line == nil })
  }

  /// Foundation's bridge crashes on a set and on an archiver's reference: if there may be one, ours is
  /// only run.
  private static func compare(_ bytes: [UInt8]) {
    let ours = PropertyListOracle.ours(bytes)
    if bytes.contains(where: { $0 >> 4 == 0xC || $0 >> 4 == 0x8 }) { return }
    #expect(ours == PropertyListOracle.reading(bytes), "\(bytes)")
  }

  @Test func agreesWithFoundationOnMutations() throws {
    var generator = SeededGenerator(seed: 4)
    for sample in Self.samples.dropLast() {
      let bytes = try Self.binary(sample)
      for _ in 0..<400 {
        var changed = generator.mutated(bytes, spices: [0, 1, 8, 15, 0xD1, 0xA1, 0xFF])
        Self.compare(changed)
        // In place, so that the offsets still hold.
        changed = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          let index = Int.random(in: 8..<changed.count, using: &generator)
          changed[index] =
            Bool.random(using: &generator) ? UInt8.random(in: 0...255, using: &generator) : changed[index] ^ 1
        }
        Self.compare(changed)
      }
    }
  }

  /// Unlike in the other formats, the first wins.
  @Test func agreesWithFoundationOnEqualKeys() throws {
    let body = Array("bplist00".utf8) + [0xD2, 1, 2, 3, 4] + Array("QaQaQxQy".utf8)
    let bytes = body + Self.trailer([8, 13, 15, 17, 19], top: 0, at: body.count)
    #expect(PropertyListOracle.ours(bytes) == "{\"61\"=\"78\"}")
    #expect(PropertyListOracle.ours(bytes) == PropertyListOracle.reading(bytes))
  }

  @Test func readsWhatCrashesFoundation() {
    for marker: UInt8 in [0xC0, 0x80] {
      let body = Array("bplist00".utf8) + [0xD1, 1, 2] + Array("Qa".utf8) + [marker, 0]
      let bytes = body + Self.trailer([8, 11, 13], top: 0, at: body.count)
      #expect(PropertyListOracle.ours(bytes) == "{\"61\"=other}")
    }
  }

  @Test func rejectsObjectsThatContainThemselvesOrMultiply() {
    // One array whose 15 elements are all itself.
    let own: [UInt8] = Array("bplist00".utf8) + [0xAE] + Array(repeating: 0, count: 14)
    #expect(BinaryPropertyListReader.read(own + Self.trailer([8], top: 0), valueCountMax: 100_000) == nil)
    // 20 arrays, each of the next one 14 times: 14^20 values.
    var body = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for level in 0..<15 {
      offsets.append(UInt8(body.count))
      body += level == 14 ? [0x08] : [0xAE] + Array(repeating: UInt8(level + 1), count: 14)
    }
    #expect(
      BinaryPropertyListReader.read(
        body + Self.trailer(offsets, top: 0, at: body.count), valueCountMax: 100_000) == nil)
  }

  private static func trailer(_ offsets: [UInt8], top: UInt8, at tableOffset: Int = 23) -> [UInt8] {
    offsets + [0, 0, 0, 0, 0, 0, 1, 1] + Array(repeating: 0, count: 7) + [UInt8(offsets.count)]
      + Array(repeating: 0, count: 7) + [top] + Array(repeating: 0, count: 7) + [UInt8(tableOffset)]
  }
}
