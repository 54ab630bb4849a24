import Foundation
import TestSupport

@testable import AppStrings

/// Foundation's own reader, to compare ours with: its result for a file as one canonical text.
enum PropertyListOracle {
  /// Nil if Foundation rejects the bytes or reads something other than a dictionary.
  static func reading(_ bytes: [UInt8]) -> String? {
    guard
      let value = try? PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil),
      value is [AnyHashable: Any]
    else { return nil }
    return canonical(value)
  }

  static func ours(_ bytes: [UInt8]) -> String? {
    (try? PropertyListDocument.read(bytes)).map { canonical(.dictionary($0.root)) }
  }

  private static func canonical(_ value: Any) -> String {
    switch value {
    case let text as String: quoted(text)
    case let members as [AnyHashable: Any]:
      dictionary(
        members.compactMap { member in (member.key.base as? String).map { ($0, canonical(member.value)) } })
    case let elements as [Any]: "(" + elements.map { canonical($0) }.joined(separator: ",") + ")"
    default: "other"
    }
  }

  private static func canonical(_ value: PropertyListValue) -> String {
    switch value {
    case .string(let text): quoted(text)
    case .dictionary(let members): dictionary(members.members.map { ($0.key, canonical($0.value)) })
    case .array(let elements): "(" + elements.map { canonical($0) }.joined(separator: ",") + ")"
    case .other: "other"
    }
  }

  private static func dictionary(_ members: [(String, String)]) -> String {
    "{" + members.map { quoted($0.0) + "=" + $0.1 }.sorted().joined(separator: ";") + "}"
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ") + "\""
  }
}

extension SeededGenerator {
  /// `bytes` with a few of them replaced, removed, doubled or swapped for `spices`, or cut off.
  mutating func mutated(_ bytes: [UInt8], spices: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &self) {
      guard let index = bytes.indices.randomElement(using: &self),
        let spice = spices.randomElement(using: &self)
      else { break }
      switch Int.random(in: 0..<6, using: &self) {
      case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &self)
      case 1: bytes.remove(at: index)
      case 2: bytes.insert(bytes[index], at: index)
      case 3: bytes = Array(bytes[..<index])
      default: bytes.insert(spice, at: index)
      }
    }
    return bytes
  }
}
