internal import Catalog
internal import FCMMessage
package import JSON

extension CheckReport {
  /// `{"findings":[…],"summary":{"errors":n,"warnings":n}}`.
  package var json: JSON {
    [
      "findings": .array(findings.map(\.json)),
      "summary": ["errors": JSON(count(of: .error)), "warnings": JSON(count(of: .warning))],
    ]
  }
}

extension Finding {
  /// Every member is present; null if it does not apply.
  package var json: JSON {
    func text(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
    return [
      "rule": .string(rule.rawValue), "severity": .string(severity.rawValue), "template": text(template),
      "slot": text(slot?.rawValue), "platform": text(platform?.rawValue), "locale": text(locale),
      "key": text(key), "file": text(file), "line": line.map { JSON($0) } ?? .null,
      "message": .string(message), "help": .string(help), "release": text(release),
    ]
  }
}
