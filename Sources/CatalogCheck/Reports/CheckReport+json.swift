internal import AppStrings
internal import Catalog
internal import FCMMessage
package import JSON

extension CheckReport {
  /// `{"findings":[…],"summary":{"errors":n,"warnings":n},"locales":{…},"verdicts":{…}}`, the worst findings
  /// first, and the counts of a baseline.
  package var json: JSON {
    var object = JSON.Object([
      ("findings", .array(ranked.map(\.json))),
      ("summary", ["errors": JSON(count(of: .error)), "warnings": JSON(count(of: .warning))]),
    ])
    if let verdicts {
      object.members += [("locales", verdicts.localesJSON), ("verdicts", verdicts.verdictsJSON)]
    }
    if let known {
      object.members.append(
        ("baseline", ["known": JSON(known.findings.count), "stale": JSON(known.stale.count)]))
    }
    return .object(object)
  }
}

extension Finding {
  /// Every member is present; null if it does not apply.
  package var json: JSON {
    func text(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
    return [
      "rule": .string(rule.rawValue), "severity": .string(severity.rawValue),
      "verdict": text(verdict?.rawValue), "impact": .string(impact.rawValue), "template": text(template),
      "slot": text(slot?.rawValue), "platform": text(platform?.rawValue), "locale": text(locale),
      "key": text(key), "file": text(file), "line": line.map { JSON($0) } ?? .null,
      "message": .string(message), "help": .string(help), "texts": texts, "release": text(release),
    ]
  }

  /// What the message and the help are made of: of each sentence, `["id", value, …]`.
  fileprivate var texts: JSON { ["message": .array(fault.sentences), "help": .array(advice.sentences)] }
}

extension FindingGroup {
  /// The most places that its JSON names.
  private static let placesMax = 20

  /// What the message and the help are made of, as with a finding.
  package var texts: JSON { findings[0].texts }

  /// Every member is present; null or empty if it does not apply.
  package var json: JSON {
    func list(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }
    return [
      "rule": .string(rule.rawValue), "severity": .string(severity.rawValue),
      "impact": .string(impact.rawValue), "platform": platform.map { .string($0.rawValue) } ?? .null,
      "release": release.map(JSON.string) ?? .null, "templates": list(templates),
      "slots": list(slots.map(\.rawValue)), "keys": list(keys), "locales": list(locales),
      "places": .array(
        places.prefix(Self.placesMax).map { place in
          ["file": .string(place.file), "line": place.line.map { JSON($0) } ?? .null]
        }),
      "findings": JSON(findings.count), "message": .string(message), "help": .string(help),
      "texts": texts,
    ]
  }
}
