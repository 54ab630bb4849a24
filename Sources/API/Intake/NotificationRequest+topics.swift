internal import Catalog
internal import FCMMessage
internal import JSON

/// Topics by language: what a request to one stands for, and what does not fit it.
extension NotificationRequest {
  /// The topic by language that is the request's target; nil for other targets.
  func languageTopic(in catalog: Catalog) -> LanguageTopic? {
    guard !catalog.topics.isEmpty, targets.count == 1, case .topic(let name)? = targets.first else {
      return nil
    }
    return catalog.languageTopic(name)
  }

  /// The mistakes that a catalog's topics by language make of the request's fields.
  func errors(for topics: [LanguageTopic], at pointer: JSONPointer) -> InputErrors {
    guard !topics.isEmpty else { return [] }
    var errors = InputErrors()
    func report(_ place: JSONPointer, _ detail: String) {
      errors.append(InputError(pointer: place, code: .invalid, detail: detail))
    }
    let topic = topics.first { targets.contains(.topic($0.name)) }
    if let topic {
      let example = topic.topics.first ?? topic.name
      if recipient?.locales.isEmpty == false {
        report(
          pointer.appending("recipient").appending("locale"),
          "The topic \(topic.name) gets a message in each of its languages, so there is no one locale. Leave it "
            + "out, or send to the topic of one language, such as \(example).")
      }
      if render == .device {
        report(
          pointer.appending("render"),
          "The gateway renders the texts for the topic \(topic.name), since each of its languages has its own."
        )
      }
    }
    for case .condition(let condition) in targets {
      let named = topics.first { condition.contains("'\($0.name)'") } ?? topic
      guard let named else { continue }
      report(
        pointer.appending("to").appending("condition"),
        "Nobody subscribes to \(named.name) itself, which has a topic for each language, such as "
          + "\(named.topics.first ?? named.name). Name those in the condition, or send to the "
          + "topic.")
    }
    return errors
  }
}

extension LanguageTopic {
  /// The topics to which a message to it goes.
  var targets: [Target] { topics.map { .topic($0) } }
}
