internal import Catalog

extension CheckReport {
  /// The findings as workflow commands of GitHub Actions, which become annotations, and a summary line.
  package func github(folder: String) -> String {
    let root = folder.hasSuffix("/") ? folder : folder + "/"
    let lines = findings.map { finding in
      var properties: [String] = []
      if let file = finding.file {
        let path = file.hasPrefix(root) ? String(file.dropFirst(root.count)) : file
        properties.append("file=\(Self.escaped(property: path))")
        if let line = finding.line { properties.append("line=\(line)") }
      }
      properties.append("title=\(Self.escaped(property: finding.rule.rawValue))")
      let text = Self.escaped("\(finding.headline): \(finding.message) \(finding.help)")
      // GitHub's third level is called notice.
      let level = finding.severity == .note ? "notice" : finding.severity.rawValue
      return "::\(level) \(properties.joined(separator: ","))::\(text)"
    }
    return (lines + [summary]).joined(separator: "\n")
  }

  /// `2 errors, 1 warning, 3 ignored`.
  package var summary: String {
    func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
    var text = "\(counted(count(of: .error), "error")), \(counted(count(of: .warning), "warning"))"
    let notes = count(of: .note)
    if notes > 0 { text += ", \(counted(notes, "note"))" }
    if !ignored.isEmpty { text += ", \(ignored.count) ignored" }
    return text
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
