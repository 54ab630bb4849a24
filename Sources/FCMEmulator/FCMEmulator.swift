internal import Dispatch
internal import FCMMessage
internal import FoundationEssentials
package import HTTPServer
internal import JSON
internal import Synchronization
package import Telemetry

/// A stand-in for FCM's HTTP v1 API and Google's OAuth 2.0 token endpoint, for development and tests.
///
/// Messages are held against FCM's schema and rules and kept in an inbox; faults make it answer as FCM does
/// on a bad day. A request needs a bearer token: one that `/token` issued, or the literal `owner` or
/// `emulator` for clients without credentials. Nothing in it blocks, and its memory is bounded.
package final class FCMEmulator: HTTPHandler, HTTPRequestHandler {
  struct State {
    var inbox = Inbox()
    var faults = FaultList()
    var tokens = AccessTokens()
    var counters = AnswerCounters()
    var lastMessageNumber = 0
  }

  let state = Mutex(State())
  let log: Log
  /// Seconds since 1970.
  let now: @Sendable () -> Double

  package convenience init(log: Log) { self.init(log: log, now: { Date().timeIntervalSince1970 }) }

  /// `now` tells the time in seconds since 1970.
  package init(log: Log, now: @escaping @Sendable () -> Double) {
    self.log = log
    self.now = now
  }

  package func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
    .accept(by: self, bodyBytesMax: EmulatorLimits.bodyBytesMax)
  }

  package func handle(_ request: HTTPRequest, responder: HTTPResponder) {
    switch Route(request.head) {
    case .send(let project): send(request, project: project, responder: responder)
    case .token: responder.respond(token(request))
    case .listInbox: responder.respond(listInbox(request.head))
    case .emptyInbox: responder.respond(emptyInbox())
    case .readFaults: responder.respond(readFaults())
    case .replaceFaults: responder.respond(replaceFaults(request.body))
    case .stats: responder.respond(stats())
    case .readiness: responder.respond(HTTPResponse(status: 200, json: ["status": "ready"]))
    case .wrongMethod(let allowed):
      var response = HTTPResponse(
        GoogleError(status: 405, message: "The method is not allowed for this resource."))
      response.headers["Allow"] = allowed.joined(separator: ", ")
      responder.respond(response)
    case .notFound:
      responder.respond(HTTPResponse(GoogleError(status: 404, message: "Requested entity was not found.")))
    }
  }

  package func response(to error: HTTPProtocolError) -> HTTPResponse {
    HTTPResponse(GoogleError(status: error.status, message: error.detail))
  }
}

/// The emulator's own limits, so that nobody can fill its memory.
enum EmulatorLimits {
  /// A request's body; FCM's own messages end at 4,096 bytes of payload.
  static let bodyBytesMax = 65_536
  /// Messages that the inbox keeps; the oldest go first.
  static let inboxMessagesMax = 10_000
  /// Access tokens that are remembered; the oldest go first.
  static let accessTokensMax = 10_000
  /// Rules of one list of faults.
  static let faultRulesMax = 1000
  /// Seconds that a fault can hold an answer back.
  static let latencySecondsMax = 3600.0
  /// Different answers that are counted apart.
  static let countedAnswersMax = 1000
  /// Objects and arrays in each other, as at Google.
  static let jsonDepthMax = 100
}

/// What a request asks for.
enum Route: Equatable {
  case send(project: String)
  case token
  case listInbox, emptyInbox
  case readFaults, replaceFaults
  case stats
  /// What `dragoman healthcheck` asks, of the gateway and of the emulator alike.
  case readiness
  case wrongMethod(allowed: [String])
  case notFound

  init(_ head: HTTPRequestHead) {
    let routes: [String: Route]
    switch head.path {
    case "/token": routes = ["POST": .token]
    case "/inbox": routes = ["GET": .listInbox, "HEAD": .listInbox, "DELETE": .emptyInbox]
    case "/faults": routes = ["GET": .readFaults, "HEAD": .readFaults, "PUT": .replaceFaults]
    case "/stats": routes = ["GET": .stats, "HEAD": .stats]
    case "/readyz": routes = ["GET": .readiness, "HEAD": .readiness]
    default:
      guard let project = Self.project(inSendPath: head.path) else {
        self = .notFound
        return
      }
      routes = ["POST": .send(project: project)]
    }
    self = routes[head.method] ?? .wrongMethod(allowed: routes.keys.sorted())
  }

  /// `p` of `/v1/projects/p/messages:send`.
  private static func project(inSendPath path: String) -> String? {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { HTTPRequestHead.percentDecoded(Substring($0)) }
    guard parts.count == 5, parts[0] == "", parts[1] == "v1", parts[2] == "projects",
      parts[4] == "messages:send", let project = parts[3], !project.isEmpty, !project.utf8.contains(0x2F)
    else { return nil }
    return project
  }
}
