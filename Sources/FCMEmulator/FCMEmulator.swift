internal import Dispatch
internal import FCMMessage
internal import FoundationEssentials
package import HTTPServer
internal import JSON
internal import Synchronization
package import Telemetry

/// A stand-in for FCM's HTTP v1 API and Google's OAuth 2.0 token endpoint, for development and tests.
///
/// It checks messages against FCM's schema and rules and keeps them in an inbox; configured faults make it
/// return the errors that FCM can return. A request needs a bearer token: one that `/token` issued, or the
/// literal `owner` or `emulator` for clients without credentials. The emulator never blocks, and its memory
/// is bounded.
package final class FCMEmulator: HTTPHandler, HTTPRequestHandler {
  struct State {
    var inbox = MessageInbox()
    var faults = FaultList()
    var tokens = IssuedTokens()
    var counters = AnswerCounters()
    var lastMessageNumber = 0
  }

  let state = Mutex(State())
  let log: Log
  private let hosts: HostPolicy
  /// Seconds since 1970.
  let now: @Sendable () -> Double

  /// An emulator that uses the system clock. `allowedHosts` are its names besides those that every machine
  /// has.
  package convenience init(log: Log, allowedHosts: [String] = []) {
    self.init(log: log, allowedHosts: allowedHosts, now: { Date().timeIntervalSince1970 })
  }

  /// An emulator whose clock is `now`, in seconds since 1970.
  package init(log: Log, allowedHosts: [String] = [], now: @escaping @Sendable () -> Double) {
    self.log = log
    hosts = HostPolicy(allowing: allowedHosts)
    self.now = now
  }

  package func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
    guard hosts.allows(head) else {
      return .refuse(
        HTTPResponse(
          GoogleAPIError(
            status: 403,
            message: "The Host field is not a name of this emulator; use an IP address, or start it with "
              + "--allow-host NAME.")))
    }
    return .accept(by: self, bodyBytesMax: EmulatorLimits.bodyBytesMax)
  }

  package func handle(_ request: HTTPRequest, responder: HTTPResponder) {
    switch EmulatorRoute(request.head) {
    case .send(let project): send(request, project: project, responder: responder)
    case .token: responder.respond(token(request))
    case .listInbox: responder.respond(listInbox(request.head))
    case .emptyInbox: responder.respond(emptyInbox())
    case .readFaults: responder.respond(readFaults())
    case .replaceFaults: responder.respond(replaceFaults(request.body))
    case .stats: responder.respond(stats())
    case .page(let file): responder.respond(file.response)
    case .readiness: responder.respond(HTTPResponse(status: 200, json: ["status": "ready"]))
    case .wrongMethod(let allowed):
      var response = HTTPResponse(
        GoogleAPIError(status: 405, message: "The method is not allowed for this resource."))
      response.headers["Allow"] = allowed.joined(separator: ", ")
      responder.respond(response)
    case .notFound:
      responder.respond(
        HTTPResponse(
          GoogleAPIError(
            status: 404, message: "The emulator has nothing here. It has \(EmulatorRoute.overview).")))
    }
  }

  package func response(to error: HTTPProtocolError) -> HTTPResponse {
    HTTPResponse(GoogleAPIError(status: error.status, message: error.detail))
  }
}

/// The emulator's limits, which bound its memory.
enum EmulatorLimits {
  /// The maximum size of a request's body, in bytes. FCM limits a message's payload to 4,096 bytes.
  static let bodyBytesMax = 65_536
  /// The maximum number of messages in the inbox; the oldest are removed first.
  static let inboxMessagesMax = 10_000
  /// The size of a list of the inbox for which no number of messages is given, at most.
  static let inboxBytes = 1_000_000
  /// The maximum number of stored access tokens; the oldest are removed first.
  static let accessTokensMax = 10_000
  /// The maximum number of rules in a list of faults.
  static let faultRulesMax = 1000
  /// The longest latency of a fault, in seconds.
  static let latencySecondsMax = 3600.0
  /// The maximum number of different answers that are counted separately.
  static let countedAnswersMax = 1000
}
