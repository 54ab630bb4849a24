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
    let slot: TextSlot.Name
    let hasFallback: Bool

    init(_ use: KeyUse) {
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
  private var known: [Question: [Finding]] = [:]
  /// The args that any translation of a key shows; nil if the key has no text.
  private var shown: [Question: Set<Int>] = [:]
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

  /// Findings without template and slot. Those without a file belong to the line of the catalog that names
  /// the key.
  mutating func findings(of use: KeyUse) -> [Finding] {
    let question = Question(use)
    if let known = known[question] { return known + unusedArgs(of: use) }
    let answer = look(up: use)
    known[question] = answer.findings
    shown[question] = answer.shownArgs
    return answer.findings + unusedArgs(of: use)
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
    let found = AndroidCodeNames(besideResources: resources.folder)
    codeNames = found
    return found
  }

  /// The args, from 0, that any translation of the key shows; nil if there is none, or before the key was
  /// looked up.
  func shownArgs(of use: KeyUse) -> Set<Int>? {
    shown[Question(use)]
  }
}
