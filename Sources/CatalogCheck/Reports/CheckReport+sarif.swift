internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import FoundationEssentials
package import JSON

extension CheckReport {
  /// The findings as a SARIF 2.1.0 log (OASIS, Static Analysis Results Interchange Format), for code
  /// scanning. Paths below `folder`, the current one, become relative to it.
  package func sarif(version: String, folder: String) -> JSON {
    let rules = CheckRule.allCases.map { rule -> JSON in
      [
        "id": .string(rule.rawValue), "name": .string(rule.rawValue),
        "shortDescription": ["text": .string(rule.summary)],
        "defaultConfiguration": ["level": .string(rule.severity.rawValue)],
      ]
    }
    let results =
      ranked.map { $0.sarif(folder: folder, isIgnored: false) }
      + (ignored + (known?.findings ?? [])).map { $0.sarif(folder: folder, isIgnored: true) }
    return [
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
      "version": "2.1.0",
      "runs": [
        [
          "tool": [
            "driver": ["name": "dragoman", "semanticVersion": .string(version), "rules": .array(rules)]
          ],
          "columnKind": "unicodeCodePoints",
          "results": .array(results),
        ]
      ],
    ]
  }
}

extension Finding {
  fileprivate func sarif(folder: String, isIgnored: Bool) -> JSON {
    var result = JSON.Object([
      ("ruleId", .string(rule.rawValue)),
      ("ruleIndex", JSON(CheckRule.allCases.firstIndex(of: rule) ?? 0)),
      ("level", .string(severity.rawValue)),
      ("message", ["text": .string("\(headline): \(message) \(help)")]),
    ])
    if let file {
      var place = JSON.Object([("artifactLocation", ["uri": .string(Self.uri(file, below: folder))])])
      if let line { place.members.append(("region", ["startLine": JSON(line)])) }
      result.members.append(("locations", [["physicalLocation": .object(place)]]))
    }
    // A fingerprint that is stable when lines move.
    result.members.append(("partialFingerprints", ["finding/v1": .string("\(rule.rawValue): \(headline)")]))
    if isIgnored { result.members.append(("suppressions", [["kind": "external"]])) }
    return .object(result)
  }

  /// The subject of the finding: `new_message body, android de, new_message_body`.
  package var headline: String {
    let place = [template, slot?.rawValue].compactMap(\.self).joined(separator: " ")
    let device = [platform?.rawValue, locale].compactMap(\.self).joined(separator: " ")
    let parts = [place, device, key ?? ""].filter { !$0.isEmpty }
    return parts.isEmpty ? rule.rawValue : parts.joined(separator: ", ")
  }

  /// A URI reference (RFC 3986): relative below `folder`, else `file:///…`.
  private static func uri(_ path: String, below folder: String) -> String {
    let root = folder.hasSuffix("/") ? folder : folder + "/"
    if path.hasPrefix(root) { return encoded(String(path.dropFirst(root.count))) }
    return (path.hasPrefix("/") ? "file://" : "") + encoded(path)
  }

  private static func encoded(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"),
        UInt8(ascii: "+"), UInt8(ascii: "@"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      case _ where byte.isASCIIAlphanumeric: text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return text
  }
}
