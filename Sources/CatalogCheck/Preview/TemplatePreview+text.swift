internal import JSON

extension TemplatePreview {
  /// For people: the table, the message and the findings.
  package func text(_ style: TerminalStyle) -> String {
    var text = previews.table(style) + "\n"
    text += style.bold("Message") + style.dim("  \(messageBytes) of \(Self.messageBytesMax) bytes") + "\n"
    text += message.prettyPrinted.printableJSON + "\n"
    var findings: [Finding] = []
    for finding in previews.flatMap(\.findings) where !findings.contains(finding) { findings.append(finding) }
    guard !findings.isEmpty else { return text }
    return text + "\n" + CheckReport(findings: findings, ignoring: []).text(style) + "\n"
  }
}
