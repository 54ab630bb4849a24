/// The body of an `application/x-www-form-urlencoded` request.
package enum FormBody {
  package static let contentType = "Content-Type: application/x-www-form-urlencoded"

  /// Percent-encodes everything but RFC 3986's unreserved characters, which every form decoder reads alike.
  package static func encoded(_ fields: [(String, String)]) -> [UInt8] {
    var output: [UInt8] = []
    for (name, value) in fields {
      if !output.isEmpty { output.append(UInt8(ascii: "&")) }
      append(name, to: &output)
      output.append(UInt8(ascii: "="))
      append(value, to: &output)
    }
    return output
  }

  /// One value as it appears in a form or query.
  package static func encoded(_ text: String) -> String {
    var output: [UInt8] = []
    append(text, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  private static func append(_ text: String, to output: inout [UInt8]) {
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        output.append(byte)
      default: output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
      }
    }
  }
}
