internal import JSON
internal import LocaleRules
internal import YAML

/// A list of languages in a catalog: `plurals.languages` or `resources.locales`.
package struct LanguageList: Sendable, Equatable {
  /// BCP 47 tags.
  package let languages: [String]
  /// The line of the catalog, from 1.
  package let line: Int

  package init(languages: [String], line: Int) {
    self.languages = languages
    self.line = line
  }
}

/// The languages that a catalog's plurals must suit, and the classes of numbers that follow from them.
final class PluralLanguages {
  /// Nil if the languages are those of the resources.
  let listed: LanguageList?
  private let resources: Catalog.Resources?
  private let languagesOf: Catalog.LanguageSource
  private var ofResources: Result<[String], UnknownLanguagesError>?
  private var partition: PluralPartition?
  private var isReported = false

  init(
    listed: LanguageList?, resources: Catalog.Resources?, languagesOf: @escaping Catalog.LanguageSource
  ) {
    (self.listed, self.resources, self.languagesOf) = (listed, resources, languagesOf)
  }

  /// The classes of numbers, computed once. Where the languages are not known, reports so at the first field
  /// that needs them, and returns nil.
  func partition(for field: YAMLField) -> PluralPartition? {
    if let partition { return partition }
    guard !isReported else { return nil }
    guard let languages = languages(for: field) else {
      isReported = true
      return nil
    }
    let partition = PluralPartition(languages: languages)
    self.partition = partition
    return partition
  }

  private func languages(for field: YAMLField) -> [String]? {
    if let listed { return listed.languages }
    return languagesOfResources(
      for: field,
      remedies: (
        "add resources, or plurals: {languages: […]}",
        ", or add plurals: {languages: […]} at the top of the catalog"
      ))
  }

  /// The languages of the app's strings, read once. Where they are not known, reports so at `field`, with
  /// what to do if there are no resources and if there are, and returns nil.
  func languagesOfResources(for field: YAMLField, remedies: (none: String, unknown: String)) -> [String]? {
    guard let resources, resources.android != nil || resources.ios != nil || !resources.sources.isEmpty else {
      field.report("needs the app's languages; \(remedies.none) at the top of the catalog")
      return nil
    }
    let found = ofResources ?? languagesOf(resources)
    ofResources = found
    switch found {
    case .success(let languages): return languages
    case .failure(let error):
      field.report(
        "needs the app's languages, which are not known: \(error.reason); correct this\(remedies.unknown)")
      return nil
    }
  }
}

extension CatalogReader {
  enum PluralsField: String, CaseIterable {
    case languages
  }

  /// More than CLDR has.
  private static let languageCountMax = 1_000

  func readPluralLanguages(_ field: YAMLField) -> LanguageList? {
    field.fields(PluralsField.self)?[.languages].map(readLanguages)
  }

  /// Tags of languages, at least one and each once.
  func readLanguages(_ list: YAMLField) -> LanguageList {
    var languages: [String] = []
    let elements = list.elements() ?? []
    if elements.isEmpty, list.node.isNull || list.node.sequence != nil {
      list.report("must hold at least one language")
    }
    if elements.count > Self.languageCountMax {
      list.report("must hold at most \(Self.languageCountMax) languages")
    }
    for element in elements.prefix(Self.languageCountMax) {
      guard let language = element.string() else { continue }
      if !Self.isLanguageTag(language) {
        element.report("must be a BCP 47 tag such as en or pt-BR")
      } else if languages.contains(where: { $0.isSameTag(as: language) }) {
        element.report("duplicate value")
      }
      languages.append(language)
    }
    return LanguageList(languages: languages, line: list.node.line)
  }

  /// A language of two or three letters, and subtags of letters and digits.
  static func isLanguageTag(_ text: String) -> Bool {
    let subtags = text.utf8.split(omittingEmptySubsequences: false) { "-_".utf8.contains($0) }
    func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
    guard let language = subtags.first, (2...3).contains(language.count), language.allSatisfy(isLetter) else {
      return false
    }
    return subtags.dropFirst().allSatisfy { subtag in
      (1...8).contains(subtag.count) && subtag.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
    }
  }
}

extension String {
  /// Whether both are the same BCP 47 tag; case and the kind of separator do not matter (RFC 5646 §2.1.1).
  func isSameTag(as other: String) -> Bool {
    func folded(_ text: String) -> String { text.lowercased().replacing("_", with: "-") }
    return folded(self).hasSameBytes(as: folded(other))
  }
}
