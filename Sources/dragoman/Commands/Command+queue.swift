import Foundation
import Gateway
import JSON
import QueueRepair

extension Command {
  private static let actions = ["check", "salvage"]
  fileprivate static let urlVariable = "DRAGOMAN_QUEUE_URL"

  static let queue = Command(
    name: "queue",
    usage: "queue (check | salvage NEW) [--url U] [--format text|json]",
    summary: "Lists what is damaged in a queue, and writes what can be verified to a new one.",
    details: """
      A queue in SQLite is read without its gateway, which must be stopped, and is not changed. A queue in PostgreSQL
      can be checked while gateways use it.
      """,
    options: [
      (.value("url"), "sqlite:PATH or postgres://…; the environment variable \(urlVariable) by default"),
      (.value("format"), "text or json"),
    ],
    positionalsMax: 2
  ) { options in
    let format = try options.choice("format", of: ["text", "json"])
    guard let action = options.positionals.first else {
      throw UsageError(message: "missing argument; use one of \(actions.joined(separator: ", "))")
    }
    guard actions.contains(action) else {
      throw UsageError(
        message: "unknown action \(action)\(suggestion(for: action, among: actions, of: "actions"))")
    }
    let new = options.positionals.dropFirst().first
    guard (action == "salvage") == (new?.isEmpty == false) else {
      throw UsageError(
        message: action == "salvage"
          ? "missing argument; name the new queue's file" : "unexpected argument \(new ?? "")")
    }
    let store = try options.queue()
    let progress = ProgressLine("reading the queue")
    defer { progress.finish() }
    do throws(QueueRepairError) {
      let (text, json, isWhole) = try result(of: store, salvagingTo: new)
      progress.finish()
      Output.print(format == "json" ? json.prettyPrinted : text)
      return isWhole ? .success : .failure
    } catch {
      progress.finish()
      Output.note("dragoman queue: \(error)")
      return error.code == .refused ? .usage : .failure
    }
  }

  private static func result(
    of store: GatewayConfiguration.Queue.Store, salvagingTo new: String?
  ) throws(QueueRepairError) -> (text: String, json: JSON, isWhole: Bool) {
    if case .sqlite(let path) = store, let new {
      let report = try DamagedQueue(path: path).salvage(to: new)
      return (report.text, report.json, report.lost.count == 0)
    }
    let report =
      switch store {
      case .sqlite(let path): try DamagedQueue(path: path).check()
      case .postgres(let url): try PostgresInspection.check(url)
      }
    return (report.text, report.json, report.damage.count == 0)
  }
}

extension Options {
  /// The queue that `--url` names, otherwise that of the variable. Its text may have a password.
  fileprivate func queue() throws(UsageError) -> GatewayConfiguration.Queue.Store {
    let variable = Command.urlVariable
    let source = has("url") ? "--url" : variable
    guard let text = self["url"] ?? ProcessInfo.processInfo.environment[variable] else {
      throw UsageError(message: "--url is missing; name the queue, such as sqlite:data/queue.db")
    }
    let store: GatewayConfiguration.Queue.Store
    do throws(QueueURLError) {
      store = try GatewayConfiguration.Queue.Store(url: text)
    } catch {
      throw UsageError(message: "\(source) \(error)")
    }
    guard case .postgres = store, positionals.first == "salvage" else { return store }
    throw UsageError(
      message: "\(source): salvage reads SQLite alone; copy a queue in PostgreSQL with pg_dump")
  }
}
