internal import DeliveryReports
internal import API
internal import Delivery
internal import FCM
internal import FCMMessage
internal import HTTPServer
internal import Outbox
internal import Synchronization
internal import Telemetry

/// What a gateway does, as lines for the person in front of it.
struct GatewayActivity: Sendable {
  /// Receives each line. Called on the gateway's own threads, so it must not block.
  let show: @Sendable (String) -> Void

  /// A line for each answer, such as `POST /v1/notifications 202, 3 ms`.
  var onAnswer: AnswerListener {
    { [show] line, head in
      // The console asks again every few seconds.
      let isFromPage = head.headers["Sec-Fetch-Mode"] != nil && ["GET", "HEAD"].contains(line.method)
      guard !isFromPage else { return }
      show("\(line.method) \(line.route) \(line.status), \(line.duration.wholeMilliseconds) ms")
    }
  }

  /// Counts events like `metrics`, and shows a line for each delivery that ends or is tried again.
  func observing(
    _ metrics: DragomanMetrics, store: any OutboxStore
  ) -> @Sendable (DeliveryEvent) -> Void {
    let pushes = PushLines()
    return { [show] event in
      metrics.note(event)
      guard let push = pushes.note(event) else { return }
      if let template = pushes.template(of: push.notification) { return show(push.line(template)) }
      store.notification(push.notification) { result in
        let template = (try? result.get())?.template ?? "message"
        pushes.remember(template, of: push.notification)
        show(push.line(template))
      }
    }
  }
}

/// A delivery that ended, or an attempt that failed.
struct ShownPush: Sendable, Equatable {
  let notification: NotificationID
  let target: String
  /// `sent, 12 ms`.
  let result: String

  /// `new_message → alice-phone sent, 12 ms`.
  func line(_ template: String) -> String { "\(template) → \(target) \(result)" }
}

/// Turns events into pushes. Remembers the templates and errors of the last deliveries.
final class PushLines: Sendable {
  private struct State {
    var templates: [NotificationID: String] = [:]
    var errors: [DeliveryID: String] = [:]
  }

  private let state = Mutex(State())

  /// What is remembered of either kind; then all of it is forgotten, and looked up again.
  static let rememberedMax = 10_000

  /// What to show of an event; nil for one that is no push.
  func note(_ event: DeliveryEvent) -> ShownPush? {
    switch event {
    case .attempted(_, let delivery, .failed(let error), let milliseconds, _):
      let code = error.code.rawValue
      state.withLock { state in
        if state.errors.count >= Self.rememberedMax { state.errors = [:] }
        state.errors[delivery.delivery] = code
      }
      // What ends a delivery is shown when that is on disk.
      guard error.disposition != .permanent else { return nil }
      return push(delivery, "\(code), \(milliseconds) ms; to be tried again")
    case .recorded(_, let delivery, let outcome, let milliseconds):
      let code = state.withLock { $0.errors.removeValue(forKey: delivery.delivery) }
      let reason = outcome == .sent ? "" : code.map { " (\($0))" } ?? ""
      return push(delivery, "\(outcome.rawValue)\(reason), \(milliseconds) ms")
    default: return nil
    }
  }

  private func push(_ delivery: DeliveryReference, _ result: String) -> ShownPush {
    ShownPush(
      notification: delivery.notification, target: Self.name(of: delivery.target), result: result)
  }

  func template(of notification: NotificationID) -> String? {
    state.withLock { $0.templates[notification] }
  }

  func remember(_ template: String, of notification: NotificationID) {
    state.withLock { state in
      if state.templates.count >= Self.rememberedMax { state.templates = [:] }
      state.templates[notification] = template
    }
  }

  /// The target without what must not be shown: of a token that can be a real one, and of an installation
  /// id, only the hash that the log has. Real tokens have more than a hundred characters.
  static func name(of target: Target) -> String {
    switch target {
    case .token(let token) where isMadeUp(token): token
    case .token, .fid: "\(target.field) \(Redaction.shortHash(target.value))"
    case .topic(let topic): "topic \(topic)"
    case .condition: "condition \(Redaction.shortHash(target.value))"
    }
  }

  private static func isMadeUp(_ token: String) -> Bool {
    token.utf8.count <= 32
      && token.utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
  }
}

extension Duration {
  /// Rounded down.
  var wholeMilliseconds: Int64 {
    Int64(clamping: components.seconds) &* 1000 &+ components.attoseconds / 1_000_000_000_000_000
  }
}
