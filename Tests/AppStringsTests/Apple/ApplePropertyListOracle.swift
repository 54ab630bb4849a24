import Foundation

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

/// A generator whose numbers are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

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
