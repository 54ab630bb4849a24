package import Clock
package import JSON

/// What raw messages have in common that differ only in their targets and in values that no rule looks at, or
/// whose rules are checked for each of them. If one is valid, so are all.
package final class RawMessagePattern: Sendable {
  /// The members of the message, without the values that differ.
  fileprivate struct Layout {
    enum Gap {
      case value(Int)
      case placeholder(SealedMessage.Placeholder.Kind)
    }

    var bytes: [UInt8] = []
    var gaps: [(offset: Int, gap: Gap)] = []
  }

  /// More ttls than any message needs.
  private static let ttlsMax = 2

  /// The indices below are those of that many values.
  private let valueCount: Int
  private let targetField: String
  private let targetIndex: Int
  /// The values with rules of their own.
  private let checked: [(index: Int, role: MessageValueRole)]
  private let lifetime: MessageLifetime
  private let isUrgent: Bool
  private let activity: (tokenIndex: Int, event: ActivityEvent)?
  /// By which of the ttls run.
  private let layouts: [Layout]

  /// Nil for a message whose pattern is not worth it. `roles` are those of the request's values.
  package init?(_ request: SendMessageRequest, _ roles: MessageValueRoles) {
    let whole = request.whole
    valueCount = roles.roles.count
    lifetime = MessageLifetime(whole)
    let shows = MessageDisplay(whole)
    isUrgent = RawMessage.isUrgent(whole, shows)
    targetField = request.target.field
    // Of a member in two spellings, the last counts.
    guard lifetime.ttlCount <= Self.ttlsMax,
      let target = roles.roles.lastIndex(of: .target(field: targetField))
    else { return nil }
    targetIndex = target
    activity = RawMessage.activity(whole).flatMap { activity in
      roles.roles.lastIndex(of: .activityToken).map { ($0, activity.event) }
    }
    let all = roles.roles.enumerated().map { (index: $0.offset, role: $0.element) }
    checked = all.filter { $0.role.isOpen && $0.role != .free }
    let open = all.filter(\.role.isOpen).map(\.index)
    layouts = (0..<(1 << lifetime.ttlCount)).compactMap { [lifetime] running in
      var places = PlaceholderPlaces()
      lifetime.place(running, in: &places)
      shows.placeIdentity(in: &places)
      return Layout(places.sealed(roles.message), values: open)
    }
    guard layouts.count == 1 << lifetime.ttlCount else { return nil }
  }

  /// The message of a request with this pattern; nil if its values have to be looked at again.
  package func message(of request: JSONOutline, now: Timestamp, maxAgeMilliseconds: Int64) -> RawMessage? {
    guard request.values.count == valueCount,
      let text = request.string(request.values[targetIndex]),
      let target = Target(field: targetField, value: text), MessageRules.problem(with: target) == nil,
      let expirations = expirations(of: request)
    else { return nil }
    let end = lifetime.end(from: now, expirations: expirations)
    let layout = layouts[lifetime.running(from: now, to: end)]
    // What FCM limits is smaller than the request. With its identity, the message can be larger.
    guard request.text.count <= SealedMessage.byteCountMax else { return nil }
    let message = layout.filled(from: request)
    guard message.byteCount(to: target) <= SealedMessage.byteCountMax else { return nil }
    return RawMessage(
      message: message, target: target, expiresAt: end ?? now.adding(milliseconds: maxAgeMilliseconds),
      isUrgent: isUrgent,
      activity: activity.flatMap { activity in
        request.string(request.values[activity.tokenIndex]).map { ($0, activity.event) }
      })
  }

  /// When the values say that the message expires; nil if one of them is not allowed.
  private func expirations(of request: JSONOutline) -> [Int64]? {
    var expirations: [Int64] = []
    for (index, role) in checked {
      let value = request.values[index]
      if case .expiration = role {
        guard value.form == .plainString, let seconds = MessageLifetime.expiration(request.text[value.range])
        else { return nil }
        expirations.append(seconds)
      } else {
        guard value.form != .string, role.allows(String(decoding: request.text[value.range], as: UTF8.self))
        else {
          return nil
        }
      }
    }
    return expirations
  }
}

extension RawMessagePattern.Layout {
  /// `values` are the indices of the values that belong in the gaps of the message.
  fileprivate init?(_ message: SealedMessage, values: [Int]) {
    var (values, placeholders) = (values[...], message.placeholders[...])
    for (offset, byte) in message.bytes.enumerated() {
      while let next = placeholders.first, next.offset == offset {
        gaps.append((bytes.count, .placeholder(next.kind)))
        placeholders = placeholders.dropFirst()
      }
      if byte != JSON.gapByte {
        bytes.append(byte)
      } else if let value = values.popFirst() {
        gaps.append((bytes.count, .value(value)))
      } else {
        return nil
      }
    }
    guard values.isEmpty, placeholders.isEmpty else { return nil }
  }

  fileprivate func filled(from request: JSONOutline) -> SealedMessage {
    var filled: [UInt8] = []
    filled.reserveCapacity(request.text.count + 128)
    var placeholders: [SealedMessage.Placeholder] = []
    var start = 0
    for (offset, gap) in gaps {
      filled.append(contentsOf: bytes[start..<offset])
      start = offset
      switch gap {
      case .placeholder(let kind): placeholders.append(.init(offset: filled.count, kind: kind))
      case .value(let index): filled.append(request.values[index], of: request)
      }
    }
    filled.append(contentsOf: bytes[start...])
    return SealedMessage(bytes: filled, placeholders: placeholders)
  }
}
