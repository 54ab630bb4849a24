package import JSON

/// What `dragoman doctor` has found out about an installation. Contains no secret.
package struct Diagnosis: Sendable {
  /// The parts that are checked, in the order of the table.
  package enum Part: String, Sendable, CaseIterable {
    case configuration, files, strings, queue, disk, dns, clock, token, project, role

    /// As the table names it.
    var label: String { self == .dns ? "DNS" : rawValue }
  }

  package enum Status: String, Sendable {
    case ok, failed
    /// It could not be checked, or there is nothing to check.
    case skipped
  }

  /// The result of one check.
  package struct Check: Sendable {
    package let part: Part
    /// Nil for what all apps share.
    package let app: String?
    package let status: Status
    /// What was found. May have several lines.
    package let detail: String
    /// What to do; nil unless the check failed.
    package let help: String?

    private init(_ part: Part, _ app: String?, _ status: Status, _ detail: String, help: String? = nil) {
      (self.part, self.app, self.status, self.detail, self.help) = (part, app, status, detail, help)
    }

    static func ok(_ part: Part, app: String? = nil, _ detail: String) -> Check {
      Check(part, app, .ok, detail)
    }

    static func failed(_ part: Part, app: String? = nil, _ detail: String, help: String) -> Check {
      Check(part, app, .failed, detail, help: help)
    }

    static func skipped(_ part: Part, app: String? = nil, _ detail: String) -> Check {
      Check(part, app, .skipped, detail)
    }
  }

  /// By part.
  package let checks: [Check]
  let system: SystemDescription
  /// The effective configuration as YAML, secrets hidden; nil if it could not be read.
  let configuration: String?

  init(_ checks: [Check], configuration: String?) {
    self.checks = Part.allCases.flatMap { part in checks.filter { $0.part == part } }
    self.configuration = configuration
    system = .current
  }

  package var failedCount: Int { checks.count { $0.status == .failed } }
}

extension Diagnosis {
  package var json: JSON {
    let checks = checks.map { check in
      let texts = [
        ("check", check.part.rawValue), ("app", check.app), ("status", check.status.rawValue),
        ("detail", check.detail), ("help", check.help),
      ]
      return JSON.object(.init(texts.compactMap { name, text in text.map { (name, .string($0)) } }))
    }
    var object = JSON.Object([
      ("checks", .array(checks)), ("failed", JSON(failedCount)), ("system", system.json),
    ])
    if let configuration { object["configuration"] = .string(configuration) }
    return .object(object)
  }

  /// A table for people, with what to do below each check that failed.
  package var text: String {
    let names = checks.map { $0.part.label + ($0.app.map { " (\($0))" } ?? "") }
    let width = names.map(\.count).max() ?? 0
    let margin = String(repeating: " ", count: width + 11)
    var lines = zip(checks, names).flatMap { check, name in
      let status = check.status.rawValue
      let head =
        status + String(repeating: " ", count: max(0, 9 - status.count)) + name
        + String(repeating: " ", count: max(0, width - name.count)) + "  "
      let details =
        check.detail.split(separator: "\n").map(String.init) + (check.help.map { ["→ \($0)"] } ?? [])
      return details.enumerated().map { ($0 == 0 ? head : margin) + $1 }
    }
    let count = failedCount
    lines += [
      "",
      count == 0 ? "Nothing is wrong." : "\(count) of \(checks.count) checks failed.",
      "A support request should have the output of `dragoman doctor --format json`, which contains the",
      "configuration without its secrets, and the log since the last start.",
      "",
    ]
    return (lines + system.lines).joined(separator: "\n")
  }
}
