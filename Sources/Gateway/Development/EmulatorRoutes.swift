internal import API
internal import AppStrings
internal import CatalogCheck
internal import Dispatch
internal import FCMEmulator
internal import HTTPServer
internal import JSON

/// What the console shows of the emulator in `dragoman dev`, at the gateway's own address because the page
/// may call no other: `/dev/inbox`, `/dev/faults` and `/dev/stats`. Everything else goes to the API.
final class EmulatorRoutes: HTTPHandler, HTTPRequestHandler {
  private let emulator: FCMEmulator
  private let api: APIHandler
  private let state: APIState
  /// Draws what has arrived, which takes too long for an event loop.
  private let queue = DispatchQueue(label: "dragoman.dev.inbox")

  private static let prefix = "/dev"
  private static let paths: Set<String> = ["/dev/inbox", "/dev/faults", "/dev/stats"]
  /// The maximum number of messages in an answer.
  static let messagesMax = 100
  static let messagesDefault = 30
  /// The maximum number of locales in which a message is drawn.
  static let localesMax = 20

  init(_ emulator: FCMEmulator, besides api: APIHandler, state: APIState) {
    (self.emulator, self.api, self.state) = (emulator, api, state)
  }

  func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
    guard Self.paths.contains(head.path) else { return api.admit(head) }
    switch emulator.admit(head) {
    case .refuse(let response, let observer): return .refuse(response, observer: observer)
    case .accept(_, let bodyBytesMax): return .accept(by: self, bodyBytesMax: bodyBytesMax)
    }
  }

  func response(to error: HTTPProtocolError) -> HTTPResponse { api.response(to: error) }

  func handle(_ request: HTTPRequest, responder: HTTPResponder) {
    let head = request.head
    guard head.path == "/dev/inbox", head.method == "GET" else {
      let query = head.query.map { "?\($0)" } ?? ""
      let inner = HTTPRequestHead(
        method: head.method, target: String(head.path.dropFirst(Self.prefix.count)) + query,
        minorVersion: head.minorVersion, headers: head.headers, peer: head.peer)
      return emulator.handle(HTTPRequest(head: inner, body: request.body), responder: responder)
    }
    queue.async { [self] in responder.respond(inbox(head)) }
  }

  /// `GET /dev/inbox?locale=&after=&limit=`: the newest messages, and what phones with each locale show of
  /// them.
  private func inbox(_ head: HTTPRequestHead) -> HTTPResponse {
    var locales: [String] = []
    var limit = Self.messagesDefault
    var last: String?
    for (name, value) in head.queryItems() ?? [("", "")] {
      switch name {
      case "locale" where DeviceStrings.isLocale(value) && locales.count < Self.localesMax:
        locales.append(value)
      case "after": last = value
      case "limit":
        guard let number = Int(value), (1...Self.messagesMax).contains(number) else { return Self.mistake }
        limit = number
      default: return Self.mistake
      }
    }
    let app = state.snapshot.app(named: nil, for: .anonymous)
    let (count, messages) = emulator.newestMessages(after: last, limit: limit)
    let drawn = messages.map { entry in
      var object = entry.object ?? JSON.Object([])
      let previews = app.map { ReceivedMessage(entry["message"] ?? .null).previews(locales, $0.texts) } ?? []
      object.members.append(("previews", .array(previews.map(\.json))))
      return JSON.object(object)
    }
    let body: JSON = [
      "count": JSON(count), "locales": .array((app?.resources?.previewLocales ?? []).map(JSON.string)),
      "messages": .array(drawn),
    ]
    return Self.response(200, body)
  }

  private static let mistake = response(
    400,
    [
      "error": [
        "message": .string(
          "The parameters are locale (a BCP 47 tag, up to \(localesMax) times), after (a message's name) and "
            + "limit (1 to \(messagesMax)).")
      ]
    ])

  private static func response(_ status: Int, _ body: JSON) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: body.serialized)
  }
}
