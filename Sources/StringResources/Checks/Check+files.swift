internal import Catalog
internal import JSON

/// What reading the resources found.
extension Check {
  /// A file's or folder's fault counts whatever key it hits; an entry's own where a template uses the key.
  func fileFindings(_ resources: StringResources, used: Set<ExactText>) -> [Finding] {
    resources.problems.compactMap { problem in
      let isUsed = problem.key.map { used.contains(ExactText($0)) } ?? true
      var finding: Finding
      switch problem.kind {
      case .unparsable, .noResources:
        finding = Finding(.unparsableStrings, problem.message, help: "Correct the file.")
      case .suspicious where isUsed:
        finding = Finding(
          .unparsableStrings, severity: .warning, problem.message, help: "Write the text as it shall be read."
        )
      case .duplicateKey where isUsed:
        finding = Finding(.duplicateKey, problem.message, help: "Keep one of them.")
      case .localeFolder:
        finding = Finding(.localeFolder, problem.message, help: "Rename the folder.")
      case .suspicious, .duplicateKey: return nil
      }
      finding.platform = resources.platform
      finding.locale = problem.table
      finding.key = problem.key
      finding.file = problem.file
      finding.line = problem.line
      return finding
    }
  }
}
