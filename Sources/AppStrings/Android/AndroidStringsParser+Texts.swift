internal import FCMMessage

/// The texts of strings, plural forms and array items, and the references that stand for them.
extension AndroidStringsParser {
  /// The text of the element whose start was read last, up to its end.
  mutating func readText(key: String, line: Int, index: Int) throws(XMLSyntaxError) -> String {
    text.removeAll()
    // For each open element: whether it is a span, and whether it is an xliff:g.
    var open: [(isSpan: Bool, isUntranslatable: Bool)] = []
    var section: (element: XMLReader.Element, text: [UInt8])?
    reading: while true {
      let event = try xml.next()
      text.append(xml.text)
      section?.text.append(contentsOf: xml.text)
      switch event {
      case .finished:
        break reading
      case .end:
        guard let last = open.popLast() else { break reading }
        if last.isSpan { text.markSpan() }
        if last.isUntranslatable {
          text.markSection(isStart: false)
          if let section { take(hint: section.element, on: section.text) }
          section = nil
        }
      case .start(let element):
        let isUntranslatable = element.space == .xliff && element.name == "g"
        if isUntranslatable, open.contains(where: \.isUntranslatable) {
          report(
            .unparsable, line: element.line, key: key,
            FindingText(.nestedSection))
        } else if element.space != .none, element.space != .xliff {
          report(
            .remark, line: element.line, key: key,
            FindingText(
              english:
                "aapt2 ignores <\(element.name.firstScalars)> in strings because of its namespace, and keeps "
                + "its text."))
        }
        if element.space == .none { text.markSpan() }
        if isUntranslatable {
          text.markSection(isStart: true)
          section = (element, [])
        }
        open.append((element.space == .none, isUntranslatable))
      }
    }
    if !text.hasSpans, let reference = AndroidReference(text.trimmedRaw) {
      return follow(reference, key: key, line: line, index: index)
    }
    let result = text.finish()
    reportIssues(key: key, line: line)
    return result
  }

  /// Keeps what an `xliff:g` says about the one placeholder in it.
  private mutating func take(hint element: XMLReader.Element, on text: [UInt8]) {
    let placeholders = FormatString(String(decoding: text, as: UTF8.self), platform: .android).placeholders
    guard hints.count < AndroidLimits.hintsPerEntryMax, placeholders.count == 1,
      let placeholder = placeholders.first, let name = element["id"], !name.isEmpty,
      name.utf8.count <= AndroidLimits.hintBytesMax
    else { return }
    let example = element["example"].flatMap { $0.utf8.count <= AndroidLimits.hintBytesMax ? $0 : nil }
    hints.append(
      StringEntry.PlaceholderHint(placeholder: placeholder.text, name: name, example: example))
  }

  private mutating func follow(_ reference: AndroidReference, key: String, line: Int, index: Int) -> String {
    let raw = String(decoding: text.trimmedRaw, as: UTF8.self)
    var name: String?
    switch reference {
    case .absent(let value):
      absence = value
      return ""
    case .string(let string): name = string
    case .system:
      report(
        .remark, line: line, key: key,
        FindingText(english: "\(raw.firstScalars) is a system string, whose text only the phone knows."))
    case .other(let type):
      report(
        .suspicious, line: line, key: key,
        FindingText(.otherType, [raw.firstScalars, type]))
    case .attribute:
      report(.unparsable, line: line, key: key, FindingText(.attributeReference))
    }
    references.append(AndroidDraft.Reference(index: index, name: name))
    return raw
  }

  private mutating func reportIssues(key: String, line: Int) {
    if text.issues.contains(.apostrophe) {
      report(.unparsable, line: line, key: key, FindingText(.apostrophe))
    }
    if text.issues.contains(.unicodeEscape) {
      report(.unparsable, line: line, key: key, FindingText(.unicodeEscape))
    }
    if text.issues.contains(.surrogate) {
      report(.suspicious, line: line, key: key, FindingText(.halfOfPair))
    }
    if text.issues.contains(.null) {
      report(.suspicious, line: line, key: key, FindingText(.nullCharacter))
    }
  }
}
