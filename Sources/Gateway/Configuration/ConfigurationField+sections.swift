internal import JSON
internal import YAML

/// Fields that contain further fields.
extension ConfigurationField {
  /// How a section is printed.
  enum Style {
    /// One line for each field.
    case block
    /// `{name: value, …}`.
    case flow

    fileprivate func lines(_ name: String, _ lines: [String]) -> [String] {
      switch self {
      case .block: ["\(name):"] + lines.map { "  \($0)" }
      case .flow: ["\(name): {\(lines.joined(separator: ", "))}"]
      }
    }
  }

  /// A section that is always present.
  static func section<Part: ConfigurationSection>(
    _ name: String, _ path: WritableKeyPath<Owner, Part>, style: Style = .block
  ) -> Self {
    Self(
      keys: [name], paths: Part.fields.flatMap(\.paths).map { "\(name).\($0)" },
      read: { mapping, owner in
        guard let field = mapping[name] else { return }
        owner[keyPath: path].read(field, files: mapping.files)
      },
      printed: { style.lines(name, $0[keyPath: path].printedLines) })
  }

  /// An optional section; `draft` is the value that it is read into.
  static func section<Part: ConfigurationSection>(
    _ name: String, _ path: WritableKeyPath<Owner, Part?>, draft: Part, style: Style = .block
  ) -> Self {
    Self(
      keys: [name], paths: Part.fields.flatMap(\.paths).map { "\(name).\($0)" },
      read: { mapping, owner in
        guard let field = mapping[name] else { return }
        var part = draft
        part.read(field, files: mapping.files)
        owner[keyPath: path] = part
      },
      printed: { owner in owner[keyPath: path].map { style.lines(name, $0.printedLines) } ?? [] })
  }

  /// A list of sections; no two of them may have the same `identity`.
  static func list<Element: ConfigurationSection>(
    _ name: String, _ path: WritableKeyPath<Owner, [Element]>, draft: Element,
    identity: KeyPath<Element, String>
  ) -> Self {
    Self(
      keys: [name], paths: Element.fields.flatMap(\.paths).map { "\(name)[].\($0)" },
      read: { mapping, owner in
        var known: Set<ExactText> = []
        for field in mapping[name]?.elements() ?? [] {
          var element = draft
          element.read(field, files: mapping.files)
          let id = element[keyPath: identity]
          if !id.isEmpty, !known.insert(ExactText(id)).inserted {
            field.report("\"\(id)\" is in the list already; choose another name")
          }
          owner[keyPath: path].append(element)
        }
      },
      printed: { owner in
        let elements = owner[keyPath: path]
        guard !elements.isEmpty else { return ["\(name): []"] }
        return ["\(name):"]
          + elements.flatMap { element in
            element.printedLines.enumerated().map { ($0 == 0 ? "  - " : "    ") + $1 }
          }
      })
  }

  /// A required mapping from names of the operator's choice to sections; `draft` creates one with its name.
  static func entries<Element: ConfigurationSection>(
    _ name: String, _ path: WritableKeyPath<Owner, [Element]>, key: KeyPath<Element, String>,
    draft: @escaping (String) -> Element
  ) -> Self {
    Self(
      keys: [name], paths: Element.fields.flatMap(\.paths).map { "\(name).NAME.\($0)" },
      read: { mapping, owner in
        guard let field = mapping.required(name), let entries = field.entries() else { return }
        if entries.isEmpty { field.report("must have at least one entry") }
        owner[keyPath: path] = entries.map { entry in
          var element = draft(entry.name)
          element.read(entry.value, files: mapping.files)
          return element
        }
      },
      printed: { owner in
        ["\(name):"]
          + owner[keyPath: path].flatMap { element in
            ["  \(ConfigurationText.quoted(element[keyPath: key])):"]
              + element.printedLines.map { "    \($0)" }
          }
      })
  }
}
