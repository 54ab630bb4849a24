package import Catalog
package import Clock
internal import FCMMessage

/// The messages for the readers of a topic by language, with texts in their languages. `recipient` is what
/// all of them have in common.
extension RecipientTexts {
  /// The messages in all languages, as one. Throws what is missing in any of them.
  package func message(
    of message: PreparedMessage, for topic: LanguageTopic, _ recipient: Recipient, now: Timestamp
  ) throws(NotRenderableError) -> Result<AssembledMessage, AssemblyError> {
    let slots = MessageSlots(message)
    var recipient = recipient
    var messages = MessagesByTopic(message)
    var missing: [NotRenderableError.Slot] = []
    for (language, topic) in zip(topic.languages, topic.topics) {
      recipient.locales = [language]
      let content: MessageContent
      do throws(NotRenderableError) {
        content = try self.content(of: slots, for: recipient, render: .gateway, now: now)
      } catch {
        missing += error.slots.map {
          NotRenderableError.Slot(name: $0.name, reason: "\(language): \($0.reason)")
        }
        continue
      }
      do throws(AssemblyError) { try messages.add(content, to: topic) } catch { return .failure(error) }
    }
    guard missing.isEmpty, let message = messages.assembled else { throw NotRenderableError(slots: missing) }
    return .success(message)
  }

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
}
