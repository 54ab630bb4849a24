internal import FCMMessage
internal import JSON
internal import YAML

/// A topic by language: its readers subscribe to the topic of their own language, and a message to it becomes
/// one for each.
package struct LanguageTopic: Sendable, Equatable {
  package let name: String
  /// BCP 47 tags, as the catalog writes them.
  package let languages: [String]
  /// The topic of each language, in the same order.
  package let topics: [String]
  /// The name of a language's topic, with `{locale}` for the tag.
  private let pattern: String

  fileprivate init(name: String, languages: [String], pattern: String) {
    (self.name, self.languages, self.pattern) = (name, languages, pattern)
    topics = languages.map { pattern.replacing(Self.placeholder, with: $0) }
  }

  /// The topic to which readers of a language subscribe.
  package func topic(of language: String) -> String {
    pattern.replacing(Self.placeholder, with: language)
  }

  fileprivate static let placeholder = "{locale}"
}

extension Catalog {
  /// The topic by language with a name.
  package func languageTopic(_ name: String) -> LanguageTopic? {
    topics.first { $0.name.hasSameBytes(as: name) }
  }
}

extension CatalogReader {
  enum TopicField: String, CaseIterable {
    case pattern
    case byLanguage = "by_language"
  }

  func readTopics(_ field: YAMLField, _ languages: PluralLanguages) -> [LanguageTopic] {
    (field.entries() ?? []).compactMap { entry in
      if let problem = MessageRules.topicProblem(entry.name) { entry.key.report(problem) }
      guard let fields = entry.value.fields(TopicField.self), let list = fields.required(.byLanguage) else {
        return nil
      }
      let listed = readLanguages(list).languages
      requireResources(of: list, languages)
      let pattern = fields[.pattern].flatMap { readPattern($0) }
      let topic = LanguageTopic(
        name: entry.name, languages: listed, pattern: pattern ?? "\(entry.name).\(LanguageTopic.placeholder)")
      if let longest = topic.topics.max(by: { $0.utf8.count < $1.utf8.count }),
        longest.utf8.count > MessageRules.topicCharactersMax
      {
        entry.key.report("makes topics of more than \(MessageRules.topicCharactersMax) characters")
      }
      return topic
    }
  }

  private func readPattern(_ field: YAMLField) -> String? {
    guard let pattern = field.string() else { return nil }
    let placeholder = LanguageTopic.placeholder
    guard pattern.contains(placeholder) else {
      field.report("must contain \(placeholder), which becomes the language, such as news_\(placeholder)")
      return nil
    }
    if let problem = MessageRules.topicProblem(pattern.replacing(placeholder, with: "en")) {
      field.report(problem)
    }
    return pattern
  }

  /// Reports the languages of a list in which the app has no strings.
  private func requireResources(of list: YAMLField, _ languages: PluralLanguages) {
    guard list.node.sequence != nil,
      let known = languages.languagesOfResources(
        for: list, remedies: ("add resources", " so that they can be read")), !known.isEmpty
    else { return }
    for element in list.elements() ?? [] {
      guard let language = element.node.scalar?.text, !known.contains(where: { $0.isSameTag(as: language) })
      else { continue }
      element.report(
        "the string resources do not have this language; they have \(known.joined(separator: ", "))",
        suggestion: nearestName(to: language, among: known))
    }
  }
}
