internal import Catalog
internal import FCMMessage
internal import JSON
internal import LocaleRules

/// The requests that show all texts of a template: its example args, those that choose each variant, and
/// those whose numbers are in each class of a plural.
struct TemplateSituations {
  /// Those that can be sent and show a text that none before them shows, the example args first.
  let messages: [PreparedMessage]
  /// By platform: the texts that phones or the gateway look up, each once.
  let contents: [AppPlatform: [SlotContent]]

  /// Members of a class of numbers that are tried: a variant or the param's limits can rule some out.
  private static let membersMax = 3

  init(_ template: Template) {
    let base = template.exampleArgs
    var candidates = [base]
    for slot in template.slots {
      for variant in slot.variants {
        var args = base
        for condition in variant.conditions { args[condition.param] = condition.value.json }
        candidates.append(args)
        candidates += Self.numbers(args, variant.plural)
      }
      // The values of a source's other variants do not choose the slot's own text.
      var own = base
      for condition in slot.source?.conditions ?? [] { own[condition.param] = condition.value.json }
      if slot.source != nil { candidates.append(own) }
      candidates += Self.numbers(own, slot.plural)
    }
    let isActivity = template.activity != nil
    var messages: [PreparedMessage] = []
    var contents: [AppPlatform: [SlotContent]] = [:]
    for args in candidates {
      let request = AssemblyRequest(
        template: template.name, args: args, activity: isActivity ? .example() : nil)
      guard case .success(let message) = template.prepare(request) else { continue }
      var isNew = messages.isEmpty
      for platform in AppPlatform.allCases {
        for content in message.slots(on: platform)
        where contents[platform]?.contains(where: { $0.isSameText(as: content) }) != true {
          contents[platform, default: []].append(content)
          isNew = true
        }
      }
      if isNew { messages.append(message) }
    }
    (self.messages, self.contents) = (messages, contents)
  }

  /// The args with numbers of each class.
  private static func numbers(_ args: JSON.Object, _ plural: TextSlot.Plural?) -> [JSON.Object] {
    guard let plural else { return [] }
    return plural.partition.smallestMembers.indices.flatMap { index in
      plural.partition.examples(ofClass: index, count: membersMax).map { number in
        var args = args
        args[plural.param] = JSON(number)
        return args
      }
    }
  }

  /// Whether a request leads to a key that phones look up. Those in FCM's own fields are in all messages.
  func reach(_ use: KeyUse) -> Bool {
    use.isField || messages.isEmpty
      || contents[use.platform]?.contains { $0.name == use.slot && $0.key.hasSameBytes(as: use.text.key) }
        ?? false
  }
}

extension Finding {
  /// The finding about a text to which no request leads: no error, and no verdict.
  var unseen: Finding {
    guard rule.isAboutReaders else { return self }
    var finding = self
    finding.verdict = nil
    if severity == .error { finding.severity = .warning }
    return finding
  }
}

extension SlotContent {
  fileprivate func isSameText(as other: SlotContent) -> Bool {
    name == other.name && key.hasSameBytes(as: other.key)
  }
}
