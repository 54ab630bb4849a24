internal import FCMMessage

/// The messages of one request to several topics. What they have in common is assembled once.
package struct MessagesByTopic: Sendable {
  /// What messages of one shape have in common.
  private struct Frame {
    let shape: MessageContent
    let index: Int
    let texts: [MessagePlan.TextPlace]
  }

  private let message: PreparedMessage
  private var frames: [Frame] = []
  private var sealed = SealedMessage.ByTopic()
  private var byteCount = 0

  package init(_ message: PreparedMessage) { self.message = message }

  /// Adds the message that a topic gets. Throws if it is too large for FCM.
  package mutating func add(_ content: MessageContent, to topic: String) throws(AssemblyError) {
    let frame = frame(of: content)
    let bytes = sealed.add(
      topic, frame: frame.index, texts: frame.texts.map { content.texts(of: $0.part)?[$0.name] ?? "" })
    guard bytes <= SealedMessage.byteCountMax else { throw .tooLarge(byteCount: bytes) }
    byteCount = max(byteCount, bytes)
  }

  private mutating func frame(of content: MessageContent) -> Frame {
    let shape = content.shape
    if let known = frames.first(where: { $0.shape == shape }) { return known }
    let (common, texts) = message.template.plan.frame(
      values: message.values, settings: message.settings, content: content)
    let frame = Frame(shape: shape, index: sealed.add(frame: common), texts: texts)
    frames.append(frame)
    return frame
  }

  /// All messages as one, with the size of the largest; nil without any.
  package var assembled: AssembledMessage? {
    sealed.message.map {
      AssembledMessage(
        message: $0, ttlSeconds: message.ttlSeconds, priority: message.priority, byteCount: byteCount)
    }
  }
}
