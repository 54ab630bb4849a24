import FCMEmulator
import HTTPServer
import Telemetry

extension Command {
  static let emulator = Command(
    name: "emulator",
    usage: "emulator [--listen HOST:PORT] [--allow-host NAME]… [--config FILE]",
    summary: "Runs a strict stand-in for FCM and its token endpoint, for testing any FCM client.",
    details: """
      Point the client at it instead of https://fcm.googleapis.com, with "Bearer owner" or a token of POST /token.

      GET /         a page with what has arrived and with the faults
      GET /inbox    what has arrived, newest first (limit=, token=, topic=); DELETE /inbox empties it
      PUT /faults   {"rules":[{"token":"bad-*","error_code":"UNREGISTERED"}]}: the first rule that fits a message
                    decides its answer; GET /faults shows the rules
      GET /stats    how often each answer was given

      A rule also takes topic, status, retry_after, body, latency, close, times and probability; see
      docs/emulator.md. --config names a file in YAML or JSON with the rules to start with, and also with listen and
      allowed_hosts: {"rules":[{"token":"bad-*","error_code":"UNREGISTERED"}]}.
      """,
    options: [
      (.value("listen"), "its address; 127.0.0.1:8085 by default; port 0 picks a free one"),
      (.list("allow-host"), "a name that Host may have besides localhost and IP addresses; repeatable"),
      (.path("config"), "a file with rules, listen and allowed_hosts; the other options have priority"),
    ]
  ) { options in
    let signals = Signals()
    let stop = PendingStop()
    await signals.watchReloads {}
    await signals.watchStops { stop.request() }
    let configuration =
      try options["config"].map { try EmulatorConfiguration(file: $0) } ?? EmulatorConfiguration()
    let address =
      try options["listen"].map { try listenAddress($0, option: "listen") } ?? configuration.listen
    let hosts = options.all("allow-host")
    for host in hosts where !HostPolicy.isName(host) {
      throw UsageError(message: "--allow-host \(host): must be a host name without scheme and port, or *")
    }
    let log = Log(level: .warning, format: .text)
    let emulator = FCMEmulator(log: log, allowedHosts: hosts + configuration.allowedHosts)
    try configuration.setFaults(of: emulator)
    let server = HTTPServer(
      configuration: HTTPServerConfiguration(listen: address), handler: emulator, log: log)
    let bound: HTTPListenAddress
    do throws(HTTPServerError) {
      bound = try server.start(willAccept: stop.begin)
    } catch {
      Output.note("dragoman emulator: \(error.explanation(option: "--listen"))")
      return .usage
    }
    Output.print("emulator listening on \(bound.url())")
    await stop.untilRequested()
    withExtendedLifetime(signals) {}
    await server.shutDown(grace: .seconds(1))
    return .success
  }
}
