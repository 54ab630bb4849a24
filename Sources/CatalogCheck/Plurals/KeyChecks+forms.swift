internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import LocaleRules

/// The rules about the forms of a plural itself, whoever chooses among them.
extension KeyChecks {
  /// `reached` are the classes of numbers to which a request can lead.
  func formFindings(_ plural: GeneratedPlural, reached: Set<Int>) -> [Finding] {
    let source = plural.languages.first { $0.table.isSource }
    return plural.languages.flatMap { language -> [Finding] in
      var findings = Self.emptyForms(of: language.entry)
      if language.hasFormWithoutNumber || language.forms.has(.zero) {
        let numbers = Self.numbers(of: language, in: plural.plural.partition, reached: reached)
        // An author can leave out the number altogether.
        if language.showsNumber || source?.showsNumber ?? false {
          findings += Self.missingNumbers(in: language, numbers)
        }
        findings += [Self.unusedZero(in: language, numbers, param: plural.plural.param)].compactMap(\.self)
      }
      return findings.map { finding in
        var finding = finding
        finding.locale = language.table.table.name
        (finding.file, finding.line) = (language.entry.file, language.entry.line)
        return finding
      }
    }
  }

  /// The two smallest numbers for which each form stands.
  private static func numbers(
    of language: GeneratedPlural.Language, in partition: PluralPartition, reached: Set<Int>
  ) -> [PluralCategory: [UInt64]] {
    var numbers: [PluralCategory: [UInt64]] = [:]
    for index in 0..<PluralCandidate.count {
      let number = PluralCandidate.number(at: index)
      guard reached.contains(partition.table[number]) else { continue }
      let form = language.forms.form(for: language.table.rules.category(of: number), isZero: number == 0)
      if numbers[form, default: []].count < 2 { numbers[form, default: []].append(number) }
    }
    return numbers
  }

  private static func missingNumbers(
    in language: GeneratedPlural.Language, _ numbers: [PluralCategory: [UInt64]]
  ) -> [Finding] {
    PluralCategory.allCases.compactMap { form in
      guard let examples = numbers[form], examples.count > 1, language.forms.has(form),
        !language.forms.shows(language.number, in: form)
      else { return nil }
      return Finding(
        .numberMissing, .numberMissing, [form.rawValue, "\(examples[0])", "\(examples[1])"],
        help: examples[0] == 0 && form != .other ? .addNumberOrVariant : .addNumber)
    }
  }

  /// Android asks CLDR alone for the form, which has none for 0 in most languages.
  private static func unusedZero(
    in language: GeneratedPlural.Language, _ numbers: [PluralCategory: [UInt64]], param: String
  ) -> Finding? {
    guard language.forms.has(.zero), numbers[.zero] == nil else { return nil }
    let used = numbers.first { $0.value.first == 0 }?.key
    guard let used, !language.forms.areAlike(.zero, used) else { return nil }
    return Finding(.unusedQuantity, .unusedZero, [used.rawValue], help: .variantForZero, [param])
  }

  private static func emptyForms(of entry: StringEntry) -> [Finding] {
    var forms = (entry.pluralFormat?.variables ?? []).flatMap(\.forms)
    if case .plural(let texts) = entry.value { forms += texts }
    return PluralCategory.allCases.map(\.rawValue).filter { name in
      name != PluralCategory.other.rawValue && forms.contains { $0.category == name && $0.text.isEmpty }
    }.map { name in
      Finding(
        .emptyValue, severity: .warning, impact: .other, .emptyForm, [name], help: .writeOrRemoveForm)
    }
  }
}

extension GeneratedPlural.Language {
  fileprivate var hasFormWithoutNumber: Bool {
    PluralCategory.allCases.contains { forms.has($0) && !forms.shows(number, in: $0) }
  }

  /// Whether any form shows the number.
  fileprivate var showsNumber: Bool { PluralCategory.allCases.contains { forms.shows(number, in: $0) } }
}
