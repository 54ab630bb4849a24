internal import JSON

/// A value of a configuration file with its path, read as the type that it must have. A wrong type is
/// reported to the collector and reads as nil, so that one pass finds all problems.
package struct YAMLField {
  package let node: YAMLNode
  package let path: FieldPath
  package let problems: ProblemCollector

  package init(node: YAMLNode, path: FieldPath = .root, problems: ProblemCollector) {
    self.node = node
    self.path = path
    self.problems = problems
  }

  /// Reports a problem at this value.
  package func report(_ message: String, suggestion: String? = nil) {
    problems.report(message, at: node, path: path, suggestion: suggestion)
  }

  private func reportType(_ expected: String, hint: String = "") {
    report("expected \(expected), not \(node.kindName)\(hint)")
  }

  /// A string. Text that the core schema resolves to another type must be in quotes.
  package func string() -> String? {
    guard let scalar = node.scalar, scalar.style == .untyped || scalar.value == .string else {
      let hint = node.scalar == nil || node.isNull ? "" : "; put it in quotes if you mean text"
      reportType("a string", hint: hint)
      return nil
    }
    return scalar.text
  }

  /// A string of at least one character.
  package func nonEmptyString() -> String? {
    guard let text = string() else { return nil }
    guard !text.isEmpty else {
      report("must not be empty")
      return nil
    }
    return text
  }

  /// A boolean.
  package func bool() -> Bool? {
    guard case .bool(let value)? = node.scalar?.value else {
      reportType("true or false")
      return nil
    }
    return value
  }

  /// An integer within `range`.
  package func integer(in range: ClosedRange<Int> = .min ... .max) -> Int? {
    guard case .integer(let digits)? = node.scalar?.value else {
      reportType("an integer")
      return nil
    }
    guard let value = Int(digits), range.contains(value) else {
      report("out of range: \(Self.describe(range))")
      return nil
    }
    return value
  }

  /// A finite number.
  package func number() -> Double? {
    switch node.scalar?.value {
    case .integer(let digits)?, .number(let digits)?:
      guard let value = Double(digits), value.isFinite else {
        report("out of range: the number is too large")
        return nil
      }
      return value
    default:
      reportType("a number")
      return nil
    }
  }

  /// One of the raw values of `Choice`.
  package func choice<Choice>(_: Choice.Type = Choice.self) -> Choice?
  where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String {
    guard let text = string() else { return nil }
    guard let value = Choice.allCases.first(where: { $0.rawValue.hasSameBytes(as: text) }) else {
      let names = Choice.allCases.map(\.rawValue)
      report(
        "must be one of \(names.joined(separator: ", "))", suggestion: nearestName(to: text, among: names))
      return nil
    }
    return value
  }

  /// A duration in seconds: digits followed by `s`, `m`, `h` or `d`.
  package func seconds(in range: ClosedRange<Int> = 0 ... .max) -> Int? {
    guard let scalar = node.scalar, scalar.value != .null else {
      reportType("a duration such as 90s, 15m, 24h or 7d")
      return nil
    }
    guard let seconds = DurationText.seconds(scalar.text) else {
      report("must be a duration such as 90s, 15m, 24h or 7d")
      return nil
    }
    guard range.contains(seconds) else {
      report("out of range: \(Self.describe(range)) seconds")
      return nil
    }
    return seconds
  }

  /// The elements of a list; null reads as an empty list.
  package func elements() -> [YAMLField]? {
    if node.isNull { return [] }
    guard let nodes = node.sequence else {
      reportType("a list")
      return nil
    }
    return nodes.enumerated().map { YAMLField(node: $1, path: path.appending($0), problems: problems) }
  }

  /// The entries of a mapping with arbitrary keys; null reads as an empty mapping.
  package func entries() -> [(name: String, key: YAMLField, value: YAMLField)]? {
    if node.isNull { return [] }
    guard let entries = node.mapping else {
      reportType("a mapping")
      return nil
    }
    return entries.compactMap { entry in
      guard let name = entry.key.scalar?.text else { return nil }
      let path = path.appending(name)
      return (
        name, YAMLField(node: entry.key, path: path, problems: problems),
        YAMLField(node: entry.value, path: path, problems: problems)
      )
    }
  }

  /// The fields of a mapping whose keys are the raw values of `Name`; other keys are reported. Null reads as
  /// an empty mapping.
  package func fields<Name>(_: Name.Type = Name.self) -> YAMLFields<Name>? {
    guard let entries = entries() else { return nil }
    var known: [Name: YAMLField] = [:]
    for entry in entries {
      if let name = Name.allCases.first(where: { $0.rawValue.hasSameBytes(as: entry.name) }) {
        known[name] = entry.value
      } else {
        entry.key.report(
          "unknown field", suggestion: nearestName(to: entry.name, among: Name.allCases.map(\.rawValue)))
      }
    }
    return YAMLFields(owner: self, known: known)
  }

  private static func describe(_ range: ClosedRange<Int>) -> String {
    switch (range.lowerBound, range.upperBound) {
    case (.min, .max): "must fit in 64 bits"
    case (let low, .max): "must be at least \(low)"
    case (.min, let high): "must be at most \(high)"
    case (let low, let high): "must be \(low) to \(high)"
    }
  }
}

/// The fields of one mapping by name.
package struct YAMLFields<Name>
where Name: Hashable & RawRepresentable & CaseIterable, Name.RawValue == String {
  package let owner: YAMLField
  private let known: [Name: YAMLField]

  fileprivate init(owner: YAMLField, known: [Name: YAMLField]) {
    self.owner = owner
    self.known = known
  }

  /// The field, if the mapping has it.
  package subscript(name: Name) -> YAMLField? { known[name] }

  /// The field; a missing one is reported.
  package func required(_ name: Name) -> YAMLField? {
    if let field = known[name] { return field }
    owner.problems.report(
      "missing", at: owner.node, path: owner.path.appending(name.rawValue))
    return nil
  }
}
