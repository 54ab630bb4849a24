internal import Catalog

extension CheckReport {
  /// GitHub shows 10 annotations of each level a step ("Workflow commands", Limits), so there is one for each
  /// cause, and what goes beyond that is in the log only.
  private static let annotationsMax = 10

  /// The causes as workflow commands of GitHub Actions, which become annotations; those beyond its limits as
  /// lines of the log; and the summary.
  package func github(folder: String) -> String {
    let groups = groups
    var lines: [String] = []
    var others: [String] = []
    var counts: [Finding.Severity: Int] = [:]
    for group in groups {
      counts[group.severity, default: 0] += 1
      if counts[group.severity, default: 0] <= Self.annotationsMax {
        lines.append(group.annotation(folder: folder))
      } else {
        others.append(
          "\(group.severity.rawValue) \(group.rule.rawValue) \(group.headline): \(group.message) \(group.help)"
            .printable)
      }
    }
    if !others.isEmpty { others.insert("Beyond the annotations that GitHub shows:", at: 0) }
    return (lines + others + summaryLines(groups)).joined(separator: "\n")
  }
}

extension FindingGroup {
  fileprivate func annotation(folder: String) -> String {
    let root = folder.hasSuffix("/") ? folder : folder + "/"
    var properties: [String] = []
    if let place = places.first {
      let path = place.file.hasPrefix(root) ? String(place.file.dropFirst(root.count)) : place.file
      properties.append("file=\(Self.escaped(property: path))")
      if let line = place.line { properties.append("line=\(line)") }
    }
    properties.append("title=\(Self.escaped(property: rule.rawValue))")
    let more = places.count > 1 ? " (\(places.count) places)" : ""
    let text = Self.escaped("\(headline): \(message) \(help)\(more)")
    // GitHub's third level is called notice.
    let level = severity == .note ? "notice" : severity.rawValue
    return "::\(level) \(properties.joined(separator: ","))::\(text)"
  }

  /// The escapes of GitHub's toolkit (actions/toolkit, command.ts).
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "%": result += "%25"
      case "\r": result += "%0D"
      case "\n": result += "%0A"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  private static func escaped(property text: String) -> String {
    escaped(text).unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case ":": result += "%3A"
      case ",": result += "%2C"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
