import Foundation
import JSON
import TestSupport
import Testing

/// `init` as a process, on the example app.
@Suite(.blocking) struct InitCommandTests {
  private static let example = "\(GatewayFixture.repository)/config"

  @Test func makesAFirstCatalogThatLoadsAndChecks() throws {
    let folder = try TemporaryFolder()
    let result = try DragomanProcess.run([
      "init", "--android", "\(Self.example)/example-app/res", "--ios", "\(Self.example)/example-app",
    ])
    #expect(result.status == 0)
    #expect(result.output.contains("title: {android: welcome_title, ios: WELCOME_TITLE, args: [name]}"))
    #expect(!result.output.contains("channel_general"))
    try folder.write(result.output, to: "catalog.yaml")
    let check = try DragomanProcess.run(["check", "--catalog", "\(folder.path)/catalog.yaml"])
    #expect(check.status == 0, "\(check.output)")
    let file = "\(folder.path)/first.yaml"
    let arguments = ["init", "--android", "\(Self.example)/example-app/res", "--output", file]
    let written = try DragomanProcess.run(arguments)
    #expect(written.status == 0)
    #expect(written.output.isEmpty)
    #expect(try DragomanProcess.run(["check", "--catalog", file]).status == 0)
    #expect(try DragomanProcess.run(arguments).status == 1, "It overwrites nothing.")
  }

  @Test func makesAFirstCatalogOfAProject() throws {
    let folder = try TemporaryFolder()
    for (from, to) in [("example-app/res", "app/src/main/res"), ("example-app", "App")] {
      let target = URL(filePath: "\(folder.path)/\(to)")
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: URL(filePath: "\(Self.example)/\(from)"), to: target)
    }
    try FileManager.default.removeItem(atPath: "\(folder.path)/App/res")
    let result = try DragomanProcess.run(["init"], in: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.output.contains("resources: {android: app/src/main/res, ios: App, development_language: en}"))
    try folder.write(result.output, to: "catalog.yaml")
    let check = try DragomanProcess.run(["check", "--strict"], in: folder.path)
    #expect(check.status == 0, "\(check.output)")
    #expect(result.output.contains("{type: string, max_length: 100, example: Alice}"))
    let chosen = try DragomanProcess.run(["init", ".", "--key", "WELCOME*"], in: folder.path)
    #expect(chosen.errors.contains("2 templates"))
    #expect(try DragomanProcess.run(["init", ".", "--key", "NONE*"], in: folder.path).status == 1)
    #expect(try DragomanProcess.run(["init", ".", "--ios", "App"], in: folder.path).status == 2)
    let nothing = try TemporaryFolder()
    let empty = try DragomanProcess.run(["init"], in: nothing.path)
    #expect(empty.status == 2)
    #expect(empty.errors.contains("no string resources below .; use --android PATH"))
  }

  @Test func saysThatNoStringReachesTheApplication() throws {
    let folder = try TemporaryFolder()
    try folder.write("include ':app', ':texts'", to: "settings.gradle")
    try folder.write("apply plugin: 'com.android.application'", to: "app/build.gradle")
    try folder.write("apply plugin: 'com.android.library'", to: "texts/build.gradle")
    try folder.write(
      "<resources><string name=\"push\">Hi</string></resources>", to: "texts/src/main/res/values/strings.xml")
    let result = try DragomanProcess.run(["init"], in: folder.path)
    #expect(result.status == 2)
    #expect(result.errors.contains("push messages reach no string of the application"))
    #expect(result.errors.contains("texts/src/main/res"))
  }

  @Test func reportsOnlySomeProblems() throws {
    let folder = try TemporaryFolder()
    let strings = "<resources><string name=\"push_text\">You have a message</string></resources>"
    try folder.write(strings, to: "res/values/strings.xml")
    for number in 1...12 { try folder.write(strings, to: "res/values-q\(number)/strings.xml") }
    let result = try DragomanProcess.run(["init", "--android", "\(folder.path)/res"])
    #expect(result.errors.contains("values-q"))
    #expect(result.errors.contains("2 more problems; `dragoman strings` lists all"))
  }

  @Test func draftsACatalogFromMessages() async throws {
    try await GatewayFixture.run { fixture in
      for token in ["s3cret-1", "s3cret-2"] {
        let sent = try fixture.client.post(
          "/v1/projects/p/messages:send",
          [
            "message": [
              "token": .string(token), "data": ["order": .string(token)],
              "android": ["notification": ["title_loc_key": "welcome_title", "title_loc_args": ["Alice"]]],
            ]
          ])
        #expect(sent.status == 200)
      }
      let folder = try TemporaryFolder()
      try folder.write(fixture.emulator.get("/inbox").text, to: "inbox.json")
      let (emulator, gateway) = (
        "http://127.0.0.1:\(fixture.emulator.port)", "http://127.0.0.1:\(fixture.client.port)"
      )
      for source in ["inbox.json", emulator, gateway] {
        let result = try DragomanProcess.run(
          ["init", "--from-messages", source, "--android", "\(Self.example)/example-app/res"], in: folder.path
        )
        #expect(result.status == 0, "\(source): \(result.errors)")
        #expect(result.errors.contains("1 template from"))
        #expect(result.output.contains("  welcome:\n"), "\(result.output)")
        #expect(result.output.contains("title: {android: welcome_title, args: [name]}"))
        #expect(result.output.contains("data: {order: {$param: order}}"))
        #expect(!result.output.contains("s3cret"))
        try folder.write(result.output, to: "drafted.yaml")
        let check = try DragomanProcess.run(["check", "--catalog", "drafted.yaml"], in: folder.path)
        #expect(check.status == 0, "\(check.output)")
      }
    }
    let folder = try TemporaryFolder()
    try folder.write("{}", to: "none.json")
    try folder.write("[]", to: "empty.json")
    #expect(
      try DragomanProcess.run(["init", "--from-messages", "none.json"], in: folder.path).errors
        == "dragoman init: none.json: it is neither an inbox nor a list of messages\n")
    #expect(
      try DragomanProcess.run(["init", "--from-messages", "empty.json"], in: folder.path).errors
        == "dragoman init: empty.json has no messages yet; send some first\n")
    #expect(try DragomanProcess.run(["init", "--from-messages", "gone.json"], in: folder.path).status == 1)
    #expect(try DragomanProcess.run(["init", "--from-messages", "x", "--all"], in: folder.path).status == 2)
    #expect(try DragomanProcess.run(["init", "--app", "x"], in: folder.path).status == 2)
  }
}
