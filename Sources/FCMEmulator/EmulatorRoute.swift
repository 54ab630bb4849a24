internal import HTTPServer

/// The operation that a request selects.
enum EmulatorRoute: Equatable {
  case send(project: String)
  case token
  case listInbox, emptyInbox
  case readFaults, replaceFaults
  case stats
  /// A file of the web page.
  case page(PageFile)
  /// Requested by `dragoman healthcheck`, from the gateway and the emulator alike.
  case readiness
  case wrongMethod(allowed: [String])
  case notFound

  init(_ head: HTTPRequestHead) {
    let routes: [String: EmulatorRoute]
    switch head.path {
    case "/token": routes = ["POST": .token]
    case "/inbox": routes = ["GET": .listInbox, "HEAD": .listInbox, "DELETE": .emptyInbox]
    case "/faults": routes = ["GET": .readFaults, "HEAD": .readFaults, "PUT": .replaceFaults]
    case "/stats": routes = ["GET": .stats, "HEAD": .stats]
    case "/readyz": routes = ["GET": .readiness, "HEAD": .readiness]
    default:
      if let file = PageFiles.byPath[head.path] {
        routes = ["GET": .page(file), "HEAD": .page(file)]
        break
      }
      guard let project = Self.project(inSendPath: head.path) else {
        self = .notFound
        return
      }
      routes = ["POST": .send(project: project)]
    }
    self = routes[head.method] ?? .wrongMethod(allowed: routes.keys.sorted())
  }

  /// What exists, for a caller who asked for something else.
  static let overview =
    "GET / (a page for people), POST /v1/projects/{project}/messages:send, POST /token, GET and DELETE /inbox, "
    + "GET and PUT /faults, GET /stats, GET /readyz"

  /// The `p` of `/v1/projects/p/messages:send`.
  private static func project(inSendPath path: String) -> String? {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { HTTPRequestHead.percentDecoded(Substring($0)) }
    guard parts.count == 5, parts[0] == "", parts[1] == "v1", parts[2] == "projects",
      parts[4] == "messages:send", let project = parts[3], !project.isEmpty, !project.utf8.contains(0x2F)
    else { return nil }
    return project
  }
}
