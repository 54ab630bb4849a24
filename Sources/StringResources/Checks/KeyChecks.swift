internal import Catalog
internal import JSON

/// The rules about a key and its translations. What is found depends on the platform, the key and the number of
/// args only, so that it is found once however many templates use the key.
struct KeyChecks {
  private struct Question: Hashable {
    let platform: TextSlot.Platform
    let key: ExactText
    let argCount: Int
  }

  let resources: AppResources?
  private var known: [Question: [Finding]] = [:]
  /// The args that any translation of a key shows; nil where it has none.
  private var shown: [Question: Set<Int>?] = [:]
  private var names: [TextSlot.Platform: Set<String>] = [:]

  init(resources: AppResources?) { self.resources = resources }

  /// Findings without template and slot; those without a file belong to the line of the catalog that names the key.
  mutating func findings(of use: KeyUse) -> [Finding] {
    let question = Question(
      platform: use.platform, key: ExactText(use.text.key), argCount: use.text.args.count)
    if let known = known[question] { return known + unusedArgs(of: use) }
    let findings = look(up: use.text.key, argCount: use.text.args.count, on: use.platform)
    known[question] = findings
    return findings + unusedArgs(of: use)
  }

  /// Every key of a platform, for suggestions.
  mutating func names(of resources: StringResources) -> Set<String> {
    if let known = names[resources.platform] { return known }
    let all = Set(resources.tables.lazy.flatMap { $0.entries.keys.lazy.map(\.text) })
    names[resources.platform] = all
    return all
  }

  /// The args, from 0, that any translation of the use's key shows; nil where there is no translation.
  mutating func shownArgs(of use: KeyUse) -> Set<Int>? {
    guard let resources = resources?[use.platform] else { return nil }
    let question = Question(platform: use.platform, key: ExactText(use.text.key), argCount: 0)
    if let known = shown[question] { return known }
    let texts = resources.tables.compactMap { $0[use.text.key]?.text }
    let union = texts.reduce(into: Set<Int>()) {
      $0.formUnion(FormatString($1, platform: use.platform).usedArguments)
    }
    let answer = texts.isEmpty ? nil : union
    shown[question] = .some(answer)
    return answer
  }
}
