internal import JSON
internal import YAML

extension CatalogReader {
  enum ParamField: String, CaseIterable {
    case type, description, `enum`, min, max, `default`, optional, format, bidi, example
    case maxLength = "max_length"
  }

  /// `bidi` of a param or of `defaults`.
  enum BidiMode: String, CaseIterable {
    case none, isolate
  }

  /// Reads params; `bidi` is that of `defaults`. Those without a valid type are added to `undefinedParams`.
  mutating func readParams(_ field: YAMLField, bidi: BidiMode = .none) -> [Param] {
    (field.entries() ?? []).compactMap { entry in
      if let problem = nameProblem(entry.name) { entry.key.report(problem) }
      let param = readParam(entry.name, entry.value, line: entry.key.node.line, bidi)
      if param == nil { undefinedParams.insert(ExactText(entry.name)) }
      return param
    }
  }

  private func readParam(_ name: String, _ field: YAMLField, line: Int, _ bidi: BidiMode) -> Param? {
    guard let fields = field.fields(ParamField.self) else { return nil }
    let type = fields.required(.type)?.choice(ParamType.self)
    let min = fields[.min].flatMap(readLimit)
    let max = fields[.max].flatMap(readLimit)
    if let min, let max, min > max { fields[.max]?.report("must not be less than min") }
    let description = fields[.description]?.string()
    let lengthMax = fields[.maxLength]?.integer(in: 0 ... .max)
    let isOptional = fields[.optional]?.bool() ?? false
    if isOptional, fields[.default] != nil {
      fields[.optional]?.report("a param with a default is never left out; remove optional or default")
    }
    let ownBidi = fields[.bidi].flatMap { $0.choice(BidiMode.self) }
    // What depends on the type cannot be checked without one.
    guard let type else { return nil }
    if type != .string { fields[.maxLength]?.report("only a string can have max_length") }
    if type != .integer, type != .number {
      for bound in [fields[.min], fields[.max]] {
        bound?.report("only an integer or a number can have min and max")
      }
    }
    let allowed = fields[.enum].flatMap { readAllowed($0, type) }
    let format = fields[.format].flatMap { readFormat($0, of: type) }
    func param(defaultValue: ParamValue?, example: ParamValue? = nil) -> Param {
      Param(
        name: name, type: type, description: description, allowed: allowed, lengthMax: lengthMax,
        format: format, min: min, max: max, defaultValue: defaultValue, example: example,
        isOptional: isOptional, isIsolated: (ownBidi ?? (type == .string ? bidi : .none)) == .isolate,
        line: line)
    }
    let unbounded = param(defaultValue: nil)
    for (index, value) in (allowed ?? []).enumerated() {
      guard let mismatch = unbounded.mismatch(of: value) else { continue }
      fields[.enum]?.elements()?[index].report(mismatch.detail)
    }
    let defaultValue = fields[.default].flatMap { readValue($0, type) }
    if let defaultValue, let mismatch = unbounded.mismatch(of: defaultValue) {
      fields[.default]?.report(mismatch.detail)
    }
    return param(defaultValue: defaultValue, example: readExample(fields[.example], of: unbounded))
  }

  private func readLimit(_ field: YAMLField) -> NumberLimit? {
    guard field.number() != nil else { return nil }
    return JSON(field.node).number.flatMap { NumberLimit($0) }
  }

  private func readExample(_ field: YAMLField?, of param: Param) -> ParamValue? {
    guard let field, let example = readValue(field, param.type) else { return nil }
    if let mismatch = param.mismatch(of: example) { field.report(mismatch.detail) }
    return example
  }

  private func readAllowed(_ field: YAMLField, _ type: ParamType) -> [ParamValue]? {
    guard let elements = field.elements() else { return nil }
    if elements.isEmpty { field.report("must hold at least one value") }
    var values: [ParamValue] = []
    for element in elements {
      guard let value = readValue(element, type) else { return nil }
      if values.contains(value) { element.report("duplicate value") }
      values.append(value)
    }
    return values
  }

  /// A param's value that the catalog itself holds.
  func readValue(_ field: YAMLField, _ type: ParamType) -> ParamValue? {
    switch ParamValue.read(JSON(field.node), as: type) {
    case .success(let value): return value
    case .failure(let mismatch):
      let needsQuotes = type == .string && field.node.scalar != nil && !field.node.isNull
      field.report(mismatch.detail + (needsQuotes ? "; put it in quotes" : ""))
      return nil
    }
  }
}
