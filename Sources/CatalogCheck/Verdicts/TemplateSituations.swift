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
      }
      guard let plural = slot.plural else { continue }
      for index in plural.partition.smallestMembers.indices {
        for number in plural.partition.examples(ofClass: index, count: Self.membersMax) {
          var args = base
          args[plural.param] = JSON(number)
          candidates.append(args)
        }
      }
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
