import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// `dragoman` as a process: what its commands print, their exit statuses, and what a crash leaves.
@Suite(.blocking) struct CommandLineTests {
  @Test func printsHelp() throws {
    for arguments in [
      ["--help"], ["help"], ["serve", "--help"], ["send", "--help"], ["dev", "--help"], ["help", "dev"],
    ] {
      let result = try DragomanProcess.run(arguments)
      #expect(result.status == 0)
      #expect(result.output.contains("Usage: dragoman"))
      #expect(result.errors.isEmpty)
    }
    #expect(try DragomanProcess.run(["--version"]).output.hasPrefix("dragoman "))
  }

  @Test(arguments: [
    [], ["nope"], ["serve", "--nope"], ["serve", "--config"], ["serve", "--config", "/nowhere.yaml"],
    ["send"], ["send", "welcome"], ["send", "welcome", "--token", "t", "--topic", "x"],
    ["send", "welcome", "--token", "t", "--args", "{"], ["dev", "--listen", "x"],
    ["send", "welcome", "--token", "t", "--args", "[1]"], ["preview", "welcome", "--args", "[1]"],
    ["dev", "--listen", "0.0.0.0:0"],
    ["emulator", "extra"], ["healthcheck", "--url", "x"],
  ])
  func exitsWith2OnIncorrectUsage(_ arguments: [String]) throws {
    let result = try DragomanProcess.run(arguments)
    #expect(result.status == 2, "\(arguments): \(result.errors)")
    #expect(!result.errors.isEmpty)
    #expect(result.output.isEmpty)
  }

  @Test func suggestsTheNearestCommandAndOption() throws {
    for (arguments, message) in [
      (["serv"], "unknown command serv; did you mean serve?"),
      (["serve", "--lisen", "x"], "unknown option --lisen; did you mean --listen?"),
      (["send", "w", "--token", "t", "--ars={}"], "unknown option --ars; did you mean --args?"),
      (["healthcheck", "--colour"], "unknown option --colour; the options are --url"),
      (["colour"], "unknown command colour; the commands are serve, dev, "),
      (["help", "chek"], "unknown command chek; did you mean check?"),
      (["hlep"], "unknown command hlep; did you mean help?"),
      (["--versoin"], "unknown option --versoin; did you mean --version?"),
      (["--hlep"], "unknown option --hlep; did you mean --help?"),
      (["serve", "--versoin"], "unknown option --versoin; did you mean --version?"),
      (["serve", "--hlep"], "unknown option --hlep; did you mean --help?"),
      (["keys", "nwe", "a"], "unknown action nwe; did you mean new?"),
    ] {
      let result = try DragomanProcess.run(arguments)
      #expect(result.status == 2)
      #expect(result.errors.contains(message), "\(result.errors)")
    }
  }

  @Test func saysThatArgsMustBeAnObject() throws {
    for arguments in [["send", "welcome", "--token", "t"], ["preview", "welcome"]] {
      let result = try DragomanProcess.run(arguments + ["--args", #"["Alice"]"#])
      #expect(result.errors.contains("--args is not a JSON object; write it as '{\"PARAM\": VALUE}'"))
    }
  }

  @Test func suggestsAnotherAddressIfOneIsTaken() throws {
    let emulator = try DragomanProcess(["emulator", "--listen", "127.0.0.1:0"])
    defer { emulator.kill() }
    let taken = try emulator.address(after: "emulator listening on http://")
    for (arguments, option) in [
      (["emulator", "--listen", taken], "--listen"),
      (["dev", "--listen", "127.0.0.1:0", "--emulator-listen", taken], "--emulator-listen"),
      (["dev", "--listen", taken, "--emulator-listen", "127.0.0.1:0"], "--listen"),
    ] {
      let result = try DragomanProcess.run(arguments)
      #expect(result.status == 2)
      #expect(result.errors.contains("cannot listen on \(taken): "))
      #expect(result.errors.contains("choose another address with \(option)"), "\(result.errors)")
      #expect(!result.errors.contains("Usage:"), "The command was right.")
    }
  }

  @Test func startsTheEmulatorWithTheFaultsOfAFile() throws {
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/emulator.yaml"
    func write(_ text: String) throws { try folder.write(text, to: "emulator.yaml") }
    try write(
      """
      listen: 127.0.0.1:0
      allowed_hosts: [fcm]
      rules:
        - {token: "gone-*", error_code: UNREGISTERED}
        - {topic: news, status: 503, retry_after: 2, times: 3, close: false}
      """)
    let emulator = try DragomanProcess(["emulator", "--config", file])
    defer { emulator.kill() }
    let client = try client(try emulator.address(after: "emulator listening on "))
    #expect(
      try client.exchange(Array("GET /faults HTTP/1.1\r\nHost: fcm\r\nConnection: close\r\n\r\n".utf8)).json[
        "rules"] == [
          ["token": "gone-*", "error_code": "UNREGISTERED"],
          ["topic": "news", "status": 503, "retry_after": "2", "times": 3],
        ])
    // What `PUT /faults` takes is such a file, too.
    try write(#"{"rules": [{"token": "x", "stauts": 503}, 7, {"status": 1}], "lisen": "x"}"#)
    let refused = try DragomanProcess.run(["emulator", "--config", file])
    #expect(refused.status == 2)
    #expect(refused.errors.contains(#"lisen: unknown field; did you mean "listen"?"#), "\(refused.errors)")
    try write("rules:\n- {token: x, stauts: 503}\n- 7\n- {status: 1}\n")
    let invalid = try DragomanProcess.run(["emulator", "--config", file])
    #expect(invalid.status == 2)
    for problem in [
      #"emulator.yaml:2:14: rules[0].stauts: unknown field; did you mean "status"?"#,
      "emulator.yaml:3:3: rules[1]: must be an object",
      "emulator.yaml:4:4: rules[2].status: must be between 200 and 599",
    ] { #expect(invalid.errors.contains(problem), "\(invalid.errors)") }
    let missing = try DragomanProcess.run(["emulator", "--config", "/nowhere.yaml"])
    #expect(missing.errors.contains("/nowhere.yaml: cannot be read: no such file"))
  }

  @Test func findsTheSocketOfTheEmulatorBesidesItsFile() throws {
    let folder = try TemporaryFolder()
    try folder.write("listen: unix:emulator.sock\n", to: "emulator.yaml")
    let emulator = try DragomanProcess(["emulator", "--config", "\(folder.path)/emulator.yaml"])
    defer { emulator.kill() }
    let address = try emulator.address(after: "emulator listening on ")
    #expect(address == "unix:\(folder.path)/emulator.sock")
  }

  /// `#`, `/`, `%` and blanks in a password must be percent-encoded, which is easy to forget.
  @Test(arguments: [
    "http://user:s3cret#1@proxy:3128", "ftp://user:s3cret@proxy", "http://user:s3cret%zz 1@proxy",
  ])
  func hidesThePasswordOfAProxyThatCannotBeUsed(_ proxy: String) throws {
    let result = try DragomanProcess.run(
      ["healthcheck", "--url", "https://gateway.invalid"],
      environment: ["HTTPS_PROXY": proxy, "https_proxy": proxy, "NO_PROXY": "", "no_proxy": ""])
    #expect(result.status == 1)
    #expect(result.errors.contains("the proxy's URL in HTTPS_PROXY or ALL_PROXY cannot be used"))
    #expect(!result.errors.contains("s3cret"), "\(result.errors)")
  }

  @Test(arguments: [
    ("http://user:s3cret@127.0.0.1:1", "holds a user name"), ("ftp://user:s3cret@h", "does not begin with"),
    ("http://127.0.0.1:1/?key=s3cret", "holds a query"), ("http://127.0.0.1:99999", "holds a malformed port"),
  ])
  func refusesAnAddressThatIsNotAGateways(_ url: String, _ problem: String) throws {
    for arguments in [["healthcheck"], ["notifications", "list"], ["send", "welcome", "--token", "t"]] {
      let result = try DragomanProcess.run(arguments + ["--url", url])
      #expect(result.status == 2)
      #expect(result.errors.contains("--url: the address \(problem)"), "\(result.errors)")
      #expect(!result.errors.contains("s3cret"))
    }
  }

  /// As from a variable that is not set.
  @Test(arguments: [
    ["dev", "--data="], ["dev", "--catalog", ""], ["serve", "--config="], ["emulator", "--config="],
    ["check", "--baseline="], ["strings", "--android="], ["init", "--output="],
    ["healthcheck", "--ca-file="],
  ])
  func refusesAnEmptyPath(_ arguments: [String]) throws {
    let result = try DragomanProcess.run(arguments)
    #expect(result.status == 2)
    let expected = " is empty; name a file or folder, or leave the option out"
    #expect(result.errors.contains(expected), "\(result.errors)")
  }

  @Test func removesTheTemporaryFolderOfAStartThatIsStopped() throws {
    let folder = try TemporaryFolder()
    func contents() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
    let dev = try DragomanProcess(
      ["dev", "--listen", "127.0.0.1:0", "--emulator-listen=127.0.0.1:0"],
      environment: ["TMPDIR": folder.path])
    defer { dev.kill() }
    let deadline = ContinuousClock.now + .seconds(30)
    while try contents().isEmpty, ContinuousClock.now < deadline { sched_yield() }
    #expect(dev.terminate() == 0)
    #expect(try contents() == [])
  }

  @Test func saysWhyAFolderCannotBeMade() throws {
    let result = try DragomanProcess.run([
      "dev", "--listen", "127.0.0.1:0", "--emulator-listen", "127.0.0.1:0", "--data", "/dev/null/data",
    ])
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "--data /dev/null/data: the folder /dev/null/data cannot be made: Not a directory"),
      "\(result.errors)")
  }

  @Test func suggestsTheNearestTemplateAndParamToASender() throws {
    let dev = try DragomanProcess(["dev", "--listen", "127.0.0.1:0", "--emulator-listen=127.0.0.1:0"])
    defer { dev.kill() }
    let url = try dev.address(after: "gateway listening on ")
    let template = try DragomanProcess.run(["send", "welcom", "--token", "t", "--url", url])
    #expect(template.status == 1)
    #expect(template.errors.contains("Did you mean welcome?"))
    // Results are on stdout, and there is none.
    #expect(template.output == "")
    let arg = try DragomanProcess.run([
      "send", "welcome", "--token", "t", "--args", #"{"nmae": "A"}"#, "--url", url,
    ])
    #expect(arg.errors.contains("\n  /args/nmae: "))
    #expect(arg.errors.contains("did you mean name?"))
    #expect(dev.terminate() == 0)
  }

  @Test func exitsWith1WithoutAServer() throws {
    for arguments in [
      ["healthcheck", "--url", "http://127.0.0.1:1"],
      ["send", "w", "--token", "t", "--url", "http://127.0.0.1:1"],
    ] {
      #expect(try DragomanProcess.run(arguments).status == 1)
    }
  }

  @Test func runsTheExampleAppFromDevToSend() throws {
    let dev = try DragomanProcess(["dev", "--listen", "127.0.0.1:0", "--emulator-listen=127.0.0.1:0"])
    defer { dev.kill() }
    let url = try dev.address(after: "gateway listening on ")
    _ = try dev.address(after: "emulator listening on ")
    #expect(try DragomanProcess.run(["healthcheck", "--url", url]).status == 0)
    let sent = try DragomanProcess.run([
      "send", "new_message", "--token", "t", "--args", #"{"name":"Alice","count":3,"sender":"Bob"}"#, "--url",
      url,
      "--wait",
    ])
    #expect(sent.status == 0, "\(sent.errors)")
    let lines = sent.output.split(separator: "\n")
    let id = String(try #require(lines.first))
    #expect(lines.contains("attempt 1 sent") || lines.contains { $0.hasPrefix("sent as ") }, "\(sent.output)")
    let shown = try DragomanProcess.run(["notifications", "show", id, "--url", url, "--format", "json"])
    #expect(try JSON.parse(shown.output)["status"] == "sent")
    let refused = try DragomanProcess.run(["send", "nope", "--token", "t", "--url", url])
    #expect(refused.status == 1)
    #expect(dev.terminate() == 0)
  }

  @Test func losesNoAcceptedNotificationWhenKilled() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "dragoman-test-\(UUID().uuidString)")
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let emulator = try DragomanProcess(["emulator", "--listen", "127.0.0.1:0"])
    defer { emulator.kill() }
    let emulatorURL = try emulator.address(after: "emulator listening on ")
    let emulatorClient = try client(emulatorURL)
    let faults: JSON = ["rules": [["token": "*", "latency": "60s"]]]
    #expect(
      try emulatorClient.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: faults.serialized
      ).status == 200)
    try Data(
      """
      server: {listen: "127.0.0.1:0"}
      apps: {default: {catalog: "\(GatewayFixture.repository)/config/catalog.yaml", \
        credentials: none, project_id: p,
        endpoint: "\(emulatorURL)"}}
      queue: {url: "sqlite:queue.db"}
      """.utf8
    ).write(to: URL(filePath: "\(folder)/gateway.yaml"))

    let first = try DragomanProcess(["serve", "--config", "\(folder)/gateway.yaml"])
    defer { first.kill() }
    let firstClient = try client(first.address(after: "gateway listening on "))
    var ids: [String] = []
    for index in 0..<50 {
      let answer = try firstClient.post(
        "/v1/notifications",
        ["template": "welcome", "to": ["token": .string("t-\(index)")], "args": ["name": "A"]])
      #expect(answer.status == 202)
      ids.append(try #require(answer.json["id"]?.string))
    }
    first.kill()

    #expect(
      try emulatorClient.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: Array(#"{"rules":[]}"#.utf8)
      ).status == 200)
    let second = try DragomanProcess(["serve", "--config", "\(folder)/gateway.yaml"])
    defer { second.kill() }
    let secondClient = try client(second.address(after: "gateway listening on "))
    let deadline = ContinuousClock.now + .seconds(20)
    for id in ids {
      var status: JSON?
      repeat {
        status = try secondClient.get("/v1/notifications/\(id)").json["status"]
      } while status != "sent" && ContinuousClock.now < deadline
      #expect(status == "sent")
    }
    let inbox = try emulatorClient.get("/inbox?limit=1000").json["messages"]?.array ?? []
    let tokens = Set(inbox.compactMap { $0["message"]?["token"]?.string })
    #expect(tokens == Set((0..<50).map { "t-\($0)" }))
    #expect(second.terminate() == 0)
  }

  private func client(_ url: String) throws -> HTTPTestClient {
    HTTPTestClient(port: try #require(Int(url.split(separator: ":").last ?? "")))
  }
}
