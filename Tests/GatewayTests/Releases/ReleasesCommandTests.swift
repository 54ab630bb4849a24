import Foundation
import JSON
import TestSupport
import Testing

/// `releases`, and `strings` of built apps, as processes.
@Suite(.blocking) struct ReleasesCommandTests {
  private static let apps = "\(GatewayFixture.repository)/Tests/AppArchivesTests/Fixtures/apps"

  private func folder(since: String, release: String? = nil) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let result = try DragomanProcess.run([
      "strings", "--android", "\(Self.apps)/dense.apk", "--format", "json",
    ])
    #expect(result.status == 0)
    try folder.write(result.output, to: "android-4.1.0.json")
    try folder.write(
      """
      version: 1
      resources: {android: \(Self.apps)/app.aab}
      releases:
        android:
          - {version: 4.0, resources: \(release ?? "\(Self.apps)/shrunk.aab")}
          - {version: 4.1.0, resources: android-4.1.0.json}
      templates:
        plain: {body: {android: plain}, since: {android: \(since)}}
      """, to: "catalog.yaml")
    return folder
  }

  private func run(_ command: String, in folder: TemporaryFolder, json: Bool) throws -> DragomanProcess.Result
  {
    let format = json ? ["--format", "json"] : []
    return try DragomanProcess.run([command, "--catalog", "\(folder.path)/catalog.yaml"] + format)
  }

  @Test func failsWhereATemplateIsSentToAReleaseWithoutItsKey() throws {
    let faulty = try folder(since: "4.0")
    let result = try run("releases", in: faulty, json: true)
    #expect(result.status == 1)
    let row = try JSON.parse(result.output)["templates"]?["plain"]?["android"]
    #expect(row?["safe_since"] == "4.1.0")
    #expect(row?["releases"]?["4.0"]?["state"] == "missing")
    #expect(row?["releases"]?["4.1.0"]?["state"] == "ok")
    let check = try run("check", in: faulty, json: true)
    #expect(check.status == 1)
    let errors = (try JSON.parse(check.output)["findings"]?.array ?? []).filter { $0["severity"] == "error" }
    #expect(errors.map { $0["rule"] } == ["KeyNotInRelease"])
    #expect(errors.first?["release"] == "4.0")
    #expect(errors.first?["key"] == "plain")
    let table = try run("releases", in: faulty, json: false)
    #expect(table.output.contains("plain    missing    ok         4.1.0"))

    let correct = try folder(since: "4.1")
    #expect(try run("releases", in: correct, json: false).status == 0)
    #expect(try run("check", in: correct, json: true).status == 0)
  }

  @Test func namesAReleaseThatCannotBeRead() throws {
    let folder = try folder(since: "4.0", release: "absent.apk")
    let result = try run("releases", in: folder, json: false)
    #expect(result.status == 2)
    #expect(result.errors.contains("catalog.yaml:5: release 4.0: \(folder.path)/absent.apk"))
    #expect(try run("check", in: folder, json: false).status == 1)
  }

  @Test(arguments: ["dense.apk", "app.aab", "split.apks"])
  func stringsSaysTheVersionOfWhatWasShipped(name: String) throws {
    let result = try DragomanProcess.run(["strings", "--android", "\(Self.apps)/\(name)", "--format=json"])
    let json = try JSON.parse(result.output)
    #expect(json["version"] == "4.1.0")
    #expect(json["package"] == "org.example.app")
    #expect(json["locales"]?["fr"]?["plain"]?["text"] == "Nouveau message")
    let source = try DragomanProcess.run(["strings", "--android", "\(Self.apps)/../res", "--format=json"])
    #expect(try JSON.parse(source.output)["version"] == nil)
  }

  @Test func refusesWhatIsNoApp() throws {
    let result = try DragomanProcess.run(["strings", "--ios", "\(Self.apps)/dense.apk"])
    #expect(result.status == 2)
    #expect(result.errors.contains("The file holds no iOS app"))
  }
}
