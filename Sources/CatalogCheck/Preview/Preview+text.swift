internal import AppStrings
internal import Catalog
internal import FCMMessage

extension [Preview] {
  /// A table for people: a block for each platform, a row for each locale and slot. The text is last in its
  /// row, because its script can affect the columns after it.
  package func table(_ style: TerminalStyle) -> String {
    let slots = TextSlot.Name.allCases.filter { name in
      contains { $0.slots.contains { $0.name == name && $0.outcome != .none } }
    }
    var lines: [String] = []
    for platform in AppPlatform.allCases {
      let rows = filter { $0.platform == platform }
      guard !rows.isEmpty else { continue }
      let labels = rows.map(\.label)
      let width = labels.map(\.displayWidth).max() ?? 0
      lines.append(style.bold(platform == .android ? "Android" : "iOS"))
      for (row, label) in zip(rows, labels) {
        var margin = label + String(repeating: " ", count: width - label.displayWidth)
        for slot in row.slots
        where slots.contains(slot.name) && !(platform == .android && slot.name == .subtitle) {
          lines.append("  \(margin)  \(slot.line(style, row.language))")
          let indent = String(repeating: " ", count: width + 14)
          if let shown = slot.shownCharacters {
            lines.append("\(indent)\(style.dim("cut after about \(shown) characters until expanded"))")
          }
          if let documented = slot.documented {
            lines.append("\(indent)\(style.dim("documented: \(documented.inPhoneOrder(row.language))"))")
          }
          margin = String(repeating: " ", count: width)
        }
      }
      lines.append("")
    }
    return lines.joined(separator: "\n")
  }
}

extension Preview {
  /// `fr-CA → fr (gateway)`: the locale or the topic, the table that its texts come from if that is another,
  /// and who makes them unless it is the phone.
  fileprivate var label: String {
    let maker = renderedBy == .device ? "" : " (\(renderedBy.rawValue))"
    let name = (topic ?? locale).printable
    guard resolvedLocale != locale else { return name + maker }
    return "\(name) → \(resolvedLocale?.printable ?? "none")\(maker)"
  }
}

extension Preview {
  /// The direction of the phone's own language.
  fileprivate var language: TextDirection {
    LocaleTag(resolvedLocale ?? locale).map(TextDirection.init(locale:)) ?? .leftToRight
  }
}

extension Preview.Slot {
  fileprivate func line(_ style: TerminalStyle, _ language: TextDirection) -> String {
    let name = style.dim(self.name.rawValue + String(repeating: " ", count: 8 - self.name.rawValue.count))
    switch outcome {
    case .text(let text): return "\(name)  \(text.inPhoneOrder(language))"
    case .unknownText(let reason): return "\(name)  unknown text \(style.dim(reason.printable))"
    case .rawKey: return "\(name)  \(style.red("raw key")) \(key?.printable ?? "")"
    case .dropped(let reason): return "\(name)  \(style.yellow("dropped")) \(style.dim(reason.printable))"
    case .crash(let exception, let reason):
      return "\(name)  \(style.red("crash")) \(exception) \(style.dim(reason.printable))"
    case .none: return "\(name)  \(style.dim("–"))"
    }
  }
}
