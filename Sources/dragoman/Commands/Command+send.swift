import CatalogCheck
import Foundation
import JSON

extension Command {
  static let send = Command(
    name: "send",
    usage:
      "send TEMPLATE (--token T… | --fid F… | --topic T | --condition C) [--args JSON] "
      + "[--platform android|ios|web] [--app-version V] [--locale L]… [--time-zone Z] "
      + "[--render device|gateway|auto] [--url U] [--key K] [--wait]",
    summary: "Sends a notification through a running gateway and prints its id.",
    options: [
      (.list("token"), "a registration token; repeatable"),
      (.list("fid"), "a Firebase installation id; repeatable"),
      (.value("topic"), "a topic name"),
      (.value("condition"), "a condition over topics"),
      (.value("args"), "the template's args as a JSON object"),
      (.value("live-activity"), "the token of the Live Activity, for a template of that kind"),
      (.value("event"), "what happens to the Live Activity: start, update or end; `update` by default"),
      (.value("stale-date"), "when the content of the Live Activity is out of date, in RFC 3339"),
      (.value("dismissal-date"), "when an ended Live Activity leaves the screen, in RFC 3339"),
      (.value("relevance-score"), "the rank among the app's Live Activities; the highest is in front"),
      (.value("platform"), "the recipient's platform: android, ios or web"),
      (.value("app-version"), "the recipient's release of the app, such as 4.1.0"),
      (
        .list("locale"),
        "the recipient's language, a BCP 47 tag such as fr-CA; repeatable, in the user's order"
      ),
      (.value("time-zone"), "the recipient's time zone, such as America/Toronto; UTC by default"),
      (
        .value("render"),
        "who renders the texts: device, gateway or auto; what the template says, or auto, by default"
      ),
      (.value("app"), "the app; `default` by default"),
    ] + gatewayOptions + [
      keyOption,
      (
        .flag("wait"),
        "prints each state and attempt until all is final; exits with 1 unless all is sent; a key without the "
          + "scope read gets the id and 0"
      ),
    ],
    positionalsMax: 1
  ) { options in
    let notification = try request(options)
    let client = try options.gatewayClient(key: options.apiKey())
    do {
      let code = try await send(notification, through: client, wait: options.has("wait"))
      await client.close()
      return code
    } catch let error as GatewayClientError {
      await client.close()
      Output.note("dragoman send: no answer from \(client.url): \(error)")
      return .failure
    }
  }

  private static func request(_ options: Options) throws(UsageError) -> JSON {
    guard let template = options.positionals.first else {
      throw UsageError(message: "missing argument; name the template")
    }
    var object = JSON.Object([("template", .string(template)), ("to", .object(try target(options)))])
    if let app = options["app"] { object["app"] = .string(app) }
    if let args = try options.args() { object["args"] = .object(args) }
    let recipient = recipient(options)
    if !recipient.isEmpty { object["recipient"] = .object(recipient) }
    if let render = options["render"] { object["render"] = .string(render) }
    if let activity = try liveActivity(options) { object["live_activity"] = activity }
    return .object(object)
  }

  private static func liveActivity(_ options: Options) throws(UsageError) -> JSON? {
    guard let token = options["live-activity"] else {
      for name in ["event", "stale-date", "dismissal-date", "relevance-score"] where options.has(name) {
        throw UsageError(message: "--\(name) needs --live-activity with the token of the Live Activity")
      }
      return nil
    }
    var object = JSON.Object([("token", .string(token)), ("event", .string(options["event"] ?? "update"))])
    for (option, field) in [("stale-date", "stale_date"), ("dismissal-date", "dismissal_date")] {
      if let value = options[option] { object[field] = .string(value) }
    }
    if let score = options["relevance-score"] {
      guard let number = (try? JSON.parse(score))?.number else {
        throw UsageError(message: "invalid --relevance-score \(score); use a number")
      }
      object["relevance_score"] = .number(number)
    }
    return .object(object)
  }

  /// The gateway validates what the options say.
  private static func recipient(_ options: Options) -> JSON.Object {
    var recipient = JSON.Object()
    for name in ["platform", "app-version", "time-zone"] {
      if let text = options[name] { recipient[name.replacing("-", with: "_")] = .string(text) }
    }
    let locales = options.all("locale").map(JSON.string)
    if let first = locales.first { recipient["locale"] = locales.count == 1 ? first : .array(locales) }
    return recipient
  }

  private static func target(_ options: Options) throws(UsageError) -> JSON.Object {
    var kinds: [JSON.Object] = []
    for (one, many) in [("token", "tokens"), ("fid", "fids")] where options.has(one) {
      let values = options.all(one).map(JSON.string)
      kinds.append(JSON.Object([values.count == 1 ? (one, values[0]) : (many, .array(values))]))
    }
    for name in ["topic", "condition"] {
      if let value = options[name] { kinds.append(JSON.Object([(name, .string(value))])) }
    }
    guard let first = kinds.first, kinds.count == 1 else {
      throw UsageError(message: "invalid target; use exactly one of --token, --fid, --topic and --condition")
    }
    return first
  }

  private static func send(
    _ notification: JSON, through client: GatewayClient, wait: Bool
  ) async throws -> ExitCode {
    let answer = try await client.post("/v1/notifications", notification)
    guard answer.status == 202, let id = answer.json["id"]?.string else {
      Output.note("dragoman send: \(answer.refusal)")
      return .failure
    }
    Output.print(id.printable)
    return wait ? try await NotificationFollower(id: id, client: client).follow() : .success
  }

  static let healthcheck = Command(
    name: "healthcheck",
    usage: "healthcheck [--url U] [--key K]",
    summary: "Requests a gateway's /readyz; exits with 0 if it is ready, otherwise with 1.",
    details: "Says on stderr what is wrong. With an API key, that includes the reason.",
    options: gatewayOptions + [keyOption]
  ) { options in
    let client = try options.gatewayClient(key: options.apiKey())
    do {
      let answer = try await client.get("/readyz")
      await client.close()
      Output.print(answer.json["status"]?.string ?? "status \(answer.status)")
      for (name, check) in answer.json["checks"]?.object?.members ?? [] {
        if let problem = check.problem { Output.note("dragoman healthcheck: \(name.printable): \(problem)") }
      }
      return answer.status == 200 ? .success : .failure
    } catch {
      await client.close()
      Output.note("dragoman healthcheck: no answer from \(client.url): \(error)")
      return .failure
    }
  }
}

extension JSON {
  /// What is wrong, of a check of `/readyz`; nil if nothing is.
  fileprivate var problem: String? {
    guard let detail = self["detail"]?.string?.printable else { return nil }
    guard let reason = self["reason"]?.string?.printable, let phase = self["phase"]?.string?.printable,
      let peer = self["peer"]?.string?.printable
    else { return detail }
    return "\(detail): \(reason) (phase \(phase), peer \(peer))"
  }
}
