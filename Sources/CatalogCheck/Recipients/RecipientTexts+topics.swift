package import Catalog
package import Clock
internal import FCMMessage

/// The messages for the readers of a topic by language, with texts in their languages. `recipient` is what
/// all of them have in common.
extension RecipientTexts {
  /// The message in one of the topic's languages.
  func message(
    of message: PreparedMessage, for topic: LanguageTopic, in language: String, _ recipient: Recipient,
    now: Timestamp
  ) throws(NotRenderableError) -> Result<AssembledMessage, AssemblyError> {
    var recipient = recipient
    recipient.locales = [language]
    let content = try content(of: message, for: recipient, render: .gateway, now: now)
    return message.message(content, longestTarget: .topic(topic.topic(of: language)))
  }

  /// The messages in all languages, as one. Throws what is missing in any of them.
  package func message(
    of message: PreparedMessage, for topic: LanguageTopic, _ recipient: Recipient, now: Timestamp
  ) throws(NotRenderableError) -> Result<AssembledMessage, AssemblyError> {
    var messages: [(topic: String, message: AssembledMessage)] = []
    var missing: [NotRenderableError.Slot] = []
    for language in topic.languages {
      do throws(NotRenderableError) {
        switch try self.message(of: message, for: topic, in: language, recipient, now: now) {
        case .success(let message): messages.append((topic.topic(of: language), message))
        case .failure(let error): return .failure(error)
        }
      } catch {
        missing += error.slots.map {
          NotRenderableError.Slot(name: $0.name, reason: "\(language): \($0.reason)")
        }
      }
    }
    guard missing.isEmpty, let message = AssembledMessage(byTopic: messages) else {
      throw NotRenderableError(slots: missing)
    }
    return .success(message)
  }
}
