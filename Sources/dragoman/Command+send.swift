import Foundation
import JSON

extension Command {
  private static let defaultURL = "http://127.0.0.1:8080"

  static let send = Command(
    name: "send",
    usage:
      "send TEMPLATE (--token T… | --fid F… | --topic T | --condition C) [--args JSON] [--url U] [--key K] [--wait]",
    summary: "Sends a notification through a running gateway and prints it.",
    options: [
      (.list("token"), "a registration token; may be given again for more"),
      (.list("fid"), "a Firebase installation id; may be given again for more"),
      (.value("topic"), "a topic's name"),
      (.value("condition"), "a condition over topics"),
      (.value("args"), "the template's args as a JSON object"),
      (.value("app"), "the app; `default` by default"),
      (.value("url"), "the gateway; \(defaultURL) by default"),
      (.value("key"), "the API key; DRAGOMAN_KEY by default"),
      (.flag("wait"), "waits until every delivery is final; exit 1 unless all were sent"),
    ],
    wordsMax: 1
  ) { options in
    let notification = try request(options)
    let key = options["key"] ?? ProcessInfo.processInfo.environment["DRAGOMAN_KEY"]
    let client = try GatewayClient(url: options["url"] ?? defaultURL, key: key)
    do {
      let code = try await send(notification, through: client, wait: options.has("wait"))
      await client.close()
      return code
    } catch let error as GatewayClient.Unreachable {
      await client.close()
      Console.note("dragoman send: no answer from \(client.url): \(error)")
      return .no
    }
  }

  private static func request(_ options: Options) throws(UsageError) -> JSON {
    guard let template = options.words.first else { throw UsageError(message: "name the template") }
    var object = JSON.Object([("template", .string(template)), ("to", .object(try target(options)))])
    if let app = options["app"] { object["app"] = .string(app) }
    if let args = try options.args() { object["args"] = args }
    return .object(object)
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
      throw UsageError(message: "give exactly one of --token, --fid, --topic and --condition")
    }
    return first
  }

  private static func send(
    _ notification: JSON, through client: GatewayClient, wait: Bool
  ) async throws -> ExitCode {
    let answer = try await client.post("/v1/notifications", notification)
    guard answer.status == 202, let id = answer.json["id"]?.string else {
      Console.print(answer.json.prettyPrinted)
      Console.note("dragoman send: the gateway answered \(answer.status)")
      return .no
    }
    guard wait else {
      Console.print(answer.json.prettyPrinted)
      return .done
    }
    var latest = answer.json
    var pauseMilliseconds = 20
    while !isFinal(latest) {
      try await Task.sleep(for: .milliseconds(pauseMilliseconds))
      pauseMilliseconds = min(1000, pauseMilliseconds * 2)
      let answer = try await client.get("/v1/notifications/\(id)")
      guard answer.status == 200 else {
        Console.note("dragoman send: the gateway answered \(answer.status) when asked for \(id)")
        return .no
      }
      latest = answer.json
    }
    Console.print(latest.prettyPrinted)
    return latest["status"]?.string == "sent" ? .done : .no
  }

  private static func isFinal(_ notification: JSON) -> Bool {
    ["sent", "failed", "expired", "cancelled", "partial"].contains(notification["status"]?.string)
  }

  static let healthcheck = Command(
    name: "healthcheck",
    usage: "healthcheck [--url U]",
    summary: "Asks a gateway's /readyz: exit 0 when it is ready, 1 when not.",
    options: [(.value("url"), "the gateway; \(defaultURL) by default")]
  ) { options in
    let client = try GatewayClient(url: options["url"] ?? defaultURL, key: nil)
    do {
      let answer = try await client.get("/readyz")
      await client.close()
      Console.print(answer.json["status"]?.string ?? "status \(answer.status)")
      return answer.status == 200 ? .done : .no
    } catch {
      await client.close()
      Console.note("dragoman healthcheck: no answer from \(client.url): \(error)")
      return .no
    }
  }
}
