internal import JSON

extension AppleVariations {
  /// Compiles a localization that varies to an entry of a stringsdict, as Xcode does.
  ///
  /// A variation by plural gets a format with one variable. Substitutions keep their own text as the format.
  /// Of device variations a phone reads the one for `iphone`, otherwise `other`; they share the substitutions
  /// beside them.
  init(catalog text: CatalogText) {
    if !text.device.isEmpty {
      addDevices(text.device.map { ($0.name, $0.text.sharing(text.substitutions)) })
    } else if !text.plural.isEmpty {
      addPlural(text.plural)
      formatKey = "%#@value@"
      pluralFormat = .texts(forms, hasArgSign: true)
    } else {
      addSubstitutions(text)
    }
  }

  private mutating func addDevices(_ devices: [(name: String, text: CatalogText)]) {
    var texts: [String: String] = [:]
    var formats: [String: PluralFormat] = [:]
    for (name, text) in devices {
      if text.varies {
        let variations = AppleVariations(catalog: text)
        forms += variations.forms.map { .init(category: "\(name).\($0.category)", text: $0.text) }
        texts[name] = variations.formatKey
        formats[name] = variations.pluralFormat
        variations.faults.forEach { fault($0) }
      } else if let plain = text.text {
        forms.append(.init(category: name, text: plain))
        texts[name] = plain
        formats[name] = .text(plain)
      }
    }
    formatKey = texts["iphone"] ?? texts["other"]
    pluralFormat = formats["iphone"] ?? formats["other"]
    if formatKey == nil { fault(FindingText(.noPhoneVariation)) }
  }

  private mutating func addPlural(_ plural: [(category: String, text: CatalogText)], of name: String? = nil) {
    var hasOther = false
    for (category, text) in plural {
      if category == "other" { hasOther = true }
      if text.varies {
        let variations = AppleVariations(catalog: text)
        forms += variations.forms.map { .init(category: "\(category).\($0.category)", text: $0.text) }
        variations.faults.forEach { fault($0) }
      } else if let plain = text.text {
        forms.append(.init(category: category, text: plain))
      }
    }
    guard !hasOther else { return }
    fault(
      name.map { FindingText(.substitutionLacksOther, [$0.shortened]) } ?? FindingText(.itsPluralLacksOther))
  }

  private mutating func addSubstitutions(_ text: CatalogText) {
    formatKey = text.text
    if formatKey == nil { fault(FindingText(.unusedSubstitutions)) }
    let named = formatKey.map { Self.variables(in: $0) } ?? []
    let known = Set(text.substitutions.map { ExactText($0.name) })
    for name in named where !known.contains(ExactText(name)) {
      fault(FindingText(.undefinedSubstitution, [name.shortened]))
    }
    var firstForms: [StringEntry.Form]?
    var variables: [PluralFormat.Variable] = []
    for (name, substitution) in text.substitutions {
      forms = []
      if substitution.varies, substitution.plural.isEmpty {
        let variations = AppleVariations(catalog: substitution)
        forms = variations.forms
        variations.faults.forEach { fault($0) }
        let nested = variations.pluralFormat?.variables.first?.forms
        variables.append(.init(name: name, position: substitution.argNum, forms: nested ?? []))
      } else {
        addPlural(substitution.plural, of: name)
        variables.append(.init(name: name, position: substitution.argNum, forms: forms))
      }
      if firstForms == nil || named.first?.hasSameBytes(as: name) == true { firstForms = forms }
    }
    forms = firstForms ?? []
    pluralFormat = formatKey.map { PluralFormat(format: $0, variables: variables, hasArgSign: true) }
  }
}

extension CatalogText {
  /// A part of a localization that uses the substitutions of the whole, if it names any and has none of its
  /// own.
  fileprivate func sharing(_ substitutions: [(name: String, text: CatalogText)]) -> CatalogText {
    guard !varies, let text, !AppleVariations.variables(in: text).isEmpty else { return self }
    return with(substitutions: substitutions)
  }

  var varies: Bool { !plural.isEmpty || !device.isEmpty || !substitutions.isEmpty }

  /// The least finished state of all texts.
  var leastState: StringEntry.State? {
    let parts = plural.map(\.text) + device.map(\.text) + substitutions.map(\.text)
    let nested = parts.compactMap(\.leastState)
    let states = nested + (state.flatMap { StringEntry.State(rawValue: $0) }.map { [$0] } ?? [])
    let order: [StringEntry.State] = [.new, .needsReview, .stale, .translated]
    return order.first { states.contains($0) }
  }
}

/// The tables that Xcode would compile a string catalog to.
struct CatalogTables {
  /// Entries by language.
  var entries: [ExactText: [StringEntry]] = [:]
  /// The line where a language first occurs.
  var lines: [ExactText: Int] = [:]
  /// The language that the catalog is written in; nil if it names none.
  private(set) var sourceLanguage: String?
  var problems: [ResourceProblem] = []

  init(_ bytes: [UInt8], file: AppleFolderSearch.TableFile, limits: AppleResourceLimits) {
    let catalog: StringCatalog
    do throws(JSONParseError) {
      catalog = try StringCatalog.read(bytes, limits: limits)
    } catch {
      let conflict = ConflictMarkers.line(in: bytes)
      let reason =
        conflict == nil ? FindingText(.notJSON, [error.reason.shortened]) : FindingText(.mergeConflict)
      problems.append(.unreadable(file, line: conflict ?? error.line, reason: reason))
      return
    }
    guard catalog.hasStrings, !catalog.isCutOff else {
      let reason: AppleFileText = catalog.isCutOff ? .tooManyTranslations : .noStringsObject
      problems.append(.unreadable(file, line: nil, reason: reason))
      return
    }
    addRemarks(on: catalog, file)
    sourceLanguage = catalog.sourceLanguage?.isEmpty == true ? nil : catalog.sourceLanguage
    for record in catalog.records { add(record, sourceLanguage: catalog.sourceLanguage, file) }
  }

  private mutating func addRemarks(on catalog: StringCatalog, _ file: AppleFolderSearch.TableFile) {
    if catalog.version?.utf8.starts(with: "1.".utf8) != true {
      let version = catalog.version.map { "version \"\($0.shortened)\"" } ?? "no version"
      problems.append(
        ResourceProblem(
          kind: .remark, file: file.path,
          FindingText(english: "the file has \(version) and was read as version 1.0")))
    }
    if catalog.sourceLanguage == nil {
      let message = "the file has no \"sourceLanguage\", so keys without a localization were left out"
      problems.append(ResourceProblem(kind: .remark, file: file.path, FindingText(english: message)))
    }
    for (key, line) in catalog.misplaced {
      problems.append(
        ResourceProblem(
          kind: .misplacedKey, file: file.path, line: line, key: key,
          FindingText(english: "The key is outside the object \"strings\", where Xcode ignores it")))
    }
    let keys = Set(catalog.records.map { ExactText($0.key) })
    for duplicate in catalog.duplicates.prefix(AppleResourceLimits.remarkCountMax) {
      problems.append(
        ResourceProblem(
          kind: .duplicateKey, file: file.path, line: duplicate.line,
          key: keys.contains(ExactText(duplicate.key)) ? duplicate.key : nil,
          FindingText(.memberTwice, [duplicate.key.shortened])))
    }
  }

  private mutating func add(
    _ record: StringCatalog.Record, sourceLanguage: String?, _ file: AppleFolderSearch.TableFile
  ) {
    var hasSource = false
    if let misspelt = record.misspelt {
      addFault(
        FindingText(.misspeltMember, [misspelt.name.shortened]), record, line: misspelt.line, language: nil,
        file)
    }
    for localization in record.localizations {
      let text = localization.text
      var value: StringEntry.Value?
      var formatKey: String?
      var pluralFormat: PluralFormat?
      if let values = text.values {
        value = .array(values)
      } else if text.varies {
        let variations = AppleVariations(catalog: text)
        value = .plural(variations.forms)
        formatKey = variations.formatKey
        pluralFormat = variations.pluralFormat
        for fault in variations.faults {
          addFault(fault, record, line: localization.line, language: localization.language, file)
        }
      } else {
        value = text.text.map { .string($0) }
      }
      if text.isMisplaced, value == nil {
        addFault(
          FindingText(.misplacedText), record, line: localization.line, language: localization.language, file)
      }
      guard let value else { continue }
      if let sourceLanguage, localization.language.hasSameBytes(as: sourceLanguage) { hasSource = true }
      append(
        StringEntry(
          key: record.key, value: value, file: file.path, line: localization.line,
          isTranslatable: record.isTranslatable, state: text.leastState, formatKey: formatKey,
          pluralFormat: pluralFormat),
        to: localization.language)
    }
    guard let sourceLanguage, !hasSource else { return }
    append(
      StringEntry(
        key: record.key, value: .string(record.key), file: file.path, line: record.line,
        isTranslatable: record.isTranslatable),
      to: sourceLanguage)
  }

  private mutating func append(_ entry: StringEntry, to language: String) {
    entries[ExactText(language), default: []].append(entry)
    if lines[ExactText(language)] == nil { lines[ExactText(language)] = entry.line }
  }

  private mutating func addFault(
    _ fault: FindingText, _ record: StringCatalog.Record, line: Int, language: String?,
    _ file: AppleFolderSearch.TableFile
  ) {
    problems.append(
      ResourceProblem(
        kind: .suspicious, file: file.path, line: line, table: language, key: record.key,
        FindingText(.ofEntry, [record.key.shortened, fault])))
  }
}
