internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// The rules about a key and its translations. The findings depend only on the platform, the key, the
/// number of args and the slot, so they are computed once however many templates use the key.
struct KeyChecks {
  private struct Question: Hashable {
    let platform: AppPlatform
    let key: ExactText
    let argCount: Int
    var slot: TextSlot.Name
    let hasFallback: Bool
    /// The template, if the gateway makes its texts; its own fallback and plurals count then.
    let owner: String?

    init(_ use: KeyUse, owner: String?) {
      self.owner = owner
      platform = use.platform
      key = ExactText(use.text.key)
      argCount = use.text.args.count
      slot = use.slot
      hasFallback = use.hasFallback
    }
  }

  let resources: AppResources?
  /// The strings of the releases that users may still have.
  let releases: AppReleases
  /// The plurals that slots name; nil without resources.
  var plurals: GeneratedPlurals?
  /// Whether only errors count, as for a release that was shipped long ago: finding the languages that could
  /// be translated better takes far longer.
  var findsOnlyErrors = false
  private var known: [Question: Answer] = [:]
  private var knownFaults: [Question: [ReaderFault]] = [:]
  /// What readers get of a template whose texts the gateway makes; nil for one whose texts phones make.
  var gateway: GatewayFaults?
  /// The readers whose files could not be read, so that a finding about these says what they get.
  private(set) var unreadable: [AppPlatform: Set<ReaderFault>] = [:]
  private var readersByPlatform: [AppPlatform: Readers] = [:]
  /// The keys whose texts are known to be reordered by args.
  var knownDirections: Set<KeyPlace> = []
  /// The args of a key that can change the order of its text, by table.
  var exposures: [KeyPlace: [(table: String, args: Set<Int>)]] = [:]
  /// The directions of the languages that were asked for: ICU needs microseconds for each.
  var languageDirections: [LocaleTag: TextDirection] = [:]
  private var names: [AppPlatform: Set<String>] = [:]
  private var codeNames: AndroidCodeNames?

  init(resources: AppResources?, releases: AppReleases = AppReleases()) {
    self.resources = resources
    self.releases = releases
    plurals = resources.map { GeneratedPlurals($0) }
  }

  /// What is known of a key.
  private struct Answer {
    let findings: [Finding]
    /// The args that any translation of the key shows, from 0; nil if the key has no text.
    let shownArgs: Set<Int>?
  }

  /// Findings without template and slot. Those without a file belong to the line of the catalog that names
  /// the key.
  mutating func findings(of use: KeyUse) -> [Finding] {
    let answer = answer(use)
    // Their names depend on the template.
    let unused = answer.shownArgs.flatMap { unusedArgs(of: use, shown: $0) }
    return answer.findings + [unused].compactMap(\.self)
  }

  /// What is wrong for the readers of a key, by the code that previews it.
  mutating func faults(of use: KeyUse) -> [ReaderFault] {
    if use.plural != nil { return use.lookedUp.flatMap { faults(of: $0) } }
    var question = Question(use, owner: gateway == nil ? nil : use.template)
    // A phone shows a text alike in every slot.
    if gateway == nil { question.slot = .body }
    if let known = knownFaults[question] { return known }
    let found = gateway?.faults(of: use) ?? readers(on: use.platform)?.faults(of: use) ?? []
    knownFaults[question] = found
    return found
  }

  /// Those who use the app on a platform; nil without strings.
  mutating func readers(on platform: AppPlatform) -> Readers? {
    if let known = readersByPlatform[platform] { return known }
    let made = resources?[platform].map {
      Readers($0, developmentLanguage: resources?.developmentLanguage)
    }
    readersByPlatform[platform] = made
    return made
  }

  /// The same, if anybody has asked for them.
  func knownReaders(on platform: AppPlatform) -> Readers? { readersByPlatform[platform] }

  /// Says which verdicts findings about a use cause.
  mutating func marked(_ findings: [Finding], about use: KeyUse) -> [Finding] {
    guard !findings.isEmpty, let readers = readers(on: use.platform) else { return findings }
    return Explanation(use: use, readers: readers, faults: faults(of: use)).marked(findings)
  }

  mutating func explained(
    _ findings: [Finding], of use: KeyUse, _ faults: [ReaderFault], source: Translation?
  ) -> [Finding] {
    guard let readers = readers(on: use.platform) else { return findings }
    let explanation = Explanation(use: use, readers: readers, faults: faults, source: source)
    unreadable[use.platform, default: []].formUnion(explanation.unreadable)
    return explanation.findings(findings)
  }

  private mutating func answer(_ use: KeyUse) -> Answer {
    let question = Question(use, owner: gateway == nil ? nil : use.template)
    if let known = known[question] { return known }
    let found = look(up: use)
    let answer = Answer(
      findings: explained(found.findings, of: use, faults(of: use), source: found.source),
      shownArgs: found.shownArgs)
    known[question] = answer
    return answer
  }

  /// Every key of a platform, for suggestions.
  mutating func names(of resources: StringResources) -> Set<String> {
    if let known = names[resources.platform] { return known }
    let all = Set(resources.tables.lazy.flatMap { $0.entries.keys.lazy.map(\.text) })
    names[resources.platform] = all
    return all
  }

  /// The strings that the app's code names. Searches the code at the first call.
  mutating func namesInCode(of resources: StringResources) -> AndroidCodeNames {
    if let codeNames { return codeNames }
    let found = AndroidCodeNames(besideResources: resources.ownFolder)
    codeNames = found
    return found
  }
}
