internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON
internal import LocaleRules
internal import StringSources

/// The native strings that an app needs of its sources, for the slots of a catalog.
struct SourceTexts {
  /// A native string.
  struct Text {
    let platform: AppPlatform
    /// The table's name.
    let table: String
    let language: LocaleTag
    let key: String
    let text: String
    /// Where the source has it.
    let file: String
    let line: Int
    let template: String
    let slot: TextSlot.Name
  }

  private(set) var texts: [Text] = []
  /// The native names that stand for keys of sources.
  private(set) var keys: Set<ExactText> = []
  /// `SourceUnsupported`, and what cannot be read.
  private(set) var findings: [Finding] = []
  /// The keys that slots name and no source has.
  private(set) var absent: [Finding] = []
  /// Whether a file cannot be read, so that texts may be missing.
  let isIncomplete: Bool
  /// The folders and files in which a change can change the texts.
  let places: [String]
  private let names: Set<String>
  private var known: Set<[String]> = []

  init(_ strings: SourceStrings, of catalog: Catalog, in resources: AppResources) {
    isIncomplete = strings.isIncomplete
    (names, places) = (strings.keys, strings.places)
    findings = strings.problems.map(Self.finding)
    let tables = SourceTables(strings, resources)
    var rules: [LocaleTag: PluralRules] = [:]
    for template in catalog.templates {
      for slot in template.slots {
        guard let source = slot.source else { continue }
        let writer = SourceTextWriter(slot, of: template)
        for choice in slot.sourceChoices { keys.formUnion(writer.names(choice).map { ExactText($0) }) }
        let entries = strings.entries(source.key)
        if entries.isEmpty { absent.append(absence(of: source.key, template, slot, catalog)) }
        for (language, entry) in entries {
          let own = rules[language.locale] ?? PluralRules(language: language.locale.description)
          rules[language.locale] = own
          do throws(SourceTextError) {
            let made = try writer.texts(entry, own)
            add(made, entry, language.locale, template, slot, tables)
          } catch {
            findings.append(Self.finding(error, entry, language.locale, template, slot))
          }
        }
      }
    }
  }

  private mutating func add(
    _ made: [SourceTextWriter.Text], _ entry: SourceStrings.Entry, _ language: LocaleTag,
    _ template: Template,
    _ slot: TextSlot, _ tables: SourceTables
  ) {
    for text in made {
      let table = tables.name(of: language, on: text.platform)
      guard known.insert([text.platform.rawValue, table, text.key]).inserted else { continue }
      texts.append(
        Text(
          platform: text.platform, table: table, language: language, key: text.key, text: text.text,
          file: entry.file, line: entry.line, template: template.name, slot: slot.name))
    }
  }

  private func absence(
    of key: String, _ template: Template, _ slot: TextSlot, _ catalog: Catalog
  ) -> Finding {
    let similar = [nearest(to: key)].compactMap(\.self)
    var finding = Finding(
      .missingKey, similar.isEmpty ? .noSourceKey : .noSourceKeySimilar, [key] + similar,
      help: .addToSources)
    (finding.file, finding.line) = (catalog.file, slot.line)
    (finding.template, finding.slot, finding.key) = (template.name, slot.name, key)
    return finding
  }

  /// The key of a source that is most like one that none has.
  func nearest(to key: String) -> String? { names.contains(key) ? nil : nearestName(to: key, among: names) }

  private static func finding(_ problem: ResourceProblem) -> Finding {
    var finding = Finding(
      problem.kind == .duplicateKey ? .duplicateKey : .unparsableStrings,
      problem.fault,
      help: problem.advice
        ?? FindingText(problem.kind == .duplicateKey ? .removeOne : .correctFile))
    (finding.file, finding.line, finding.locale) = (problem.file, problem.line, problem.table)
    finding.key = problem.key
    return finding
  }

  private static func finding(
    _ error: SourceTextError, _ entry: SourceStrings.Entry, _ language: LocaleTag, _ template: Template,
    _ slot: TextSlot
  ) -> Finding {
    var finding = Finding(.sourceUnsupported, error.fault, help: error.help)
    (finding.file, finding.line) = (entry.file, entry.line)
    (finding.template, finding.slot, finding.key) = (template.name, slot.name, entry.key)
    finding.locale = language.description
    return finding
  }
}
