internal import Clock
import HTTPServer
import JSON
import Outbox

/// `DELETE /v1/notifications/{id}` and `POST /v1/notifications/{id}/retry`.
extension GatewayHandler {
  /// Cancels what is not yet sent.
  func cancelNotification(_ call: Call) {
    ifVisible(call) { [self] id in
      store.cancel(id, now: .now) { result in
        switch result {
        case .success(.done(let notification, _, _)): call.respond(.json(200, notification))
        case .success(.allFinal):
          call.respond(Problem(.alreadyFinal, "All of its deliveries have ended."))
        case .success(.notFound): call.respond(Self.unknownNotification)
        case .failure(let error): call.respond(Problem(error))
        }
      }
    }
  }

  /// Queues its failed and expired deliveries again.
  func retryNotification(_ call: Call) {
    ifVisible(call) { [self] id in
      store.retry(id, now: .now) { result in
        switch result {
        case .success(.done(let notification, _)): call.respond(.json(202, notification))
        case .success(.none):
          call.respond(Problem(.nothingToRetry, "None of its deliveries is failed or expired."))
        case .success(.notFound): call.respond(Self.unknownNotification)
        case .failure(let error): call.respond(Problem(error))
        }
      }
    }
  }

  /// Another client's notification looks unknown.
  static let unknownNotification = Problem(.notFound, "There is no such notification.")

  private func ifVisible(_ call: Call, _ body: @escaping @Sendable (NotificationID) -> Void) {
    guard let uuid = UUIDv7(call.parameter) else { return call.respond(Self.unknownNotification) }
    let id = NotificationID(uuid)
    store.notification(id) { result in
      switch result {
      case .success(let notification?) where call.principal.maySee(notification): body(id)
      case .success: call.respond(Self.unknownNotification)
      case .failure(let error): call.respond(Problem(error))
      }
    }
  }
}

extension HTTPResponse {
  static func json(_ status: Int, _ notification: StoredNotification) -> HTTPResponse {
    var writer = JSONWriter(reserving: 768)
    writer.append(notification)
    return .json(status, writer.bytes)
  }
}
