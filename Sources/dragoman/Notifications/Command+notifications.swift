import CatalogCheck
import Foundation
import JSON

extension Command {
  private static let filters = [
    "status", "template", "app", "token", "fid", "topic", "condition", "code", "client",
  ]

  static let notifications = Command(
    name: "notifications",
    usage: "notifications (list | show ID | cancel ID | retry ID) [--url U] [--key K] [--format text|json]",
    summary: "Lists and shows a running gateway's notifications, cancels them, and queues failed ones again.",
    options: [
      (.value("status"), "list: only this status, such as failed"),
      (.value("template"), "list: only this template"),
      (.value("app"), "list: only this app"),
      (.value("token"), "list: only those to this registration token"),
      (.value("fid"), "list: only those to this Firebase installation id"),
      (.value("topic"), "list: only those to this topic"),
      (.value("condition"), "list: only those to this condition"),
      (.value("code"), "list: only those with this error code, such as UNREGISTERED"),
      (.value("client"), "list: only those of this client"),
      (.value("since"), "list: only those accepted at this time or later; RFC 3339"),
      (.value("until"), "list: only those accepted before this time; RFC 3339"),
      (.value("limit"), "list: at most so many; 50 by default"),
      (.value("format"), "text or json"),
    ] + gatewayOptions + [keyOption],
    positionalsMax: 2
  ) { options in
    let call = try NotificationsCall(options)
    let client = try options.gatewayClient(key: options.apiKey())
    do {
      let code = try await call.run(through: client)
      await client.close()
      return code
    } catch let error as GatewayClientError {
      await client.close()
      Output.note(
        "dragoman notifications: no answer from \(client.url): \(error)")
      return .failure
    }
  }

  /// What one call of `dragoman notifications` does.
  private struct NotificationsCall {
    private enum Action: String, CaseIterable { case list, show, cancel, retry }

    /// The gateway's largest page.
    private static let pageMax = 1000

    private let action: Action
    private let id: String
    private let query: [(String, String)]
    private let limit: Int
    private let printsJSON: Bool

    init(_ options: Options) throws(UsageError) {
      let known = Action.allCases.map(\.rawValue)
      guard let word = options.positionals.first else {
        throw UsageError(message: "missing argument; use one of \(known.joined(separator: ", "))")
      }
      guard let action = Action(rawValue: word) else {
        throw UsageError(
          message: "unknown action \(word)\(suggestion(for: word, among: known, of: "actions"))")
      }
      self.action = action
      id = options.positionals.dropFirst().first ?? ""
      guard (action == .list) == id.isEmpty else {
        throw UsageError(
          message: action == .list
            ? "unexpected argument \(id); to show one notification, use show \(id)"
            : "missing argument; name the notification's id")
      }
      query = (filters + ["since", "until"]).compactMap { name in options[name].map { (name, $0) } }
      guard action == .list || query.isEmpty && options["limit"] == nil else {
        throw UsageError(message: "--\(query.first?.0 ?? "limit") is only for list")
      }
      guard let limit = Int(options["limit"] ?? "50"), limit > 0 else {
        throw UsageError(message: "--limit \(options["limit"] ?? ""): a positive whole number is expected")
      }
      self.limit = limit
      let format = options["format"] ?? "text"
      guard ["text", "json"].contains(format) else {
        throw UsageError(message: "--format \(format): use text or json")
      }
      printsJSON = format == "json"
    }

    func run(through client: GatewayClient) async throws -> ExitCode {
      let path = "/v1/notifications/\(Self.encoded(id))"
      switch action {
      case .list: return try await list(through: client)
      case .show: return show(try await client.get(path))
      case .cancel: return show(try await client.delete(path))
      case .retry: return show(try await client.post(path + "/retry", .object(.init())))
      }
    }

    private func show(_ answer: GatewayClient.Answer) -> ExitCode {
      guard (200..<300).contains(answer.status), answer.json["id"]?.string != nil else {
        return refuse(answer)
      }
      Output.print(printsJSON ? answer.json.prettyPrinted : NotificationTable.detail(of: answer.json))
      return .success
    }

    /// Asks for pages until there are enough, since a page can be empty although there are more. Pages whose
    /// notifications have many targets are made smaller.
    private func list(through client: GatewayClient) async throws -> ExitCode {
      var found: [JSON] = []
      var cursor: String?
      var pageMax = Self.pageMax
      while true {
        let count = min(pageMax, limit - found.count)
        var items = query + [("limit", String(count))]
        if let cursor { items.append(("cursor", cursor)) }
        let text = items.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
        let answer = try await client.get("/v1/notifications?\(text)")
        if answer.isTooLarge, count > 1 {
          pageMax = count / 2
          continue
        }
        guard answer.status == 200, let page = answer.json["notifications"]?.array else {
          return refuse(answer)
        }
        found += page
        cursor = answer.json["next_cursor"]?.string
        if cursor == nil || found.count >= limit { break }
      }
      Output.print(printsJSON ? JSON.array(found).prettyPrinted : NotificationTable.list(found))
      if cursor != nil { Output.note("dragoman notifications: there are more; use --limit to see them") }
      return .success
    }

    private func refuse(_ answer: GatewayClient.Answer) -> ExitCode {
      Output.note("dragoman notifications: \(answer.refusal)")
      return .failure
    }

    /// Percent-encoded, but for what RFC 3986 §2.3 leaves as it is.
    private static func encoded(_ text: String) -> String {
      text.utf8.map { byte in
        let isPlain =
          (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || "-._~".utf8.contains(byte)
        return isPlain
          ? String(UnicodeScalar(byte))
          : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }.joined()
    }
  }
}
