import AppStrings
import Catalog
import CatalogCheck
import FCMMessage
import Foundation
import HTTPServer
import JSON
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Gateway

/// `dragoman dev`: it notices changes, and shows what happens.
@Suite(.blocking) struct DevelopmentTests {
  /// An app with one template, and the lines that `dev` shows for it.
  private final class Scene: Sendable {
    let folder: URL
    let lines = ShownLines()

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "dev-\(UUID().uuidString)")
      try write("res/values/strings.xml", "<resources><string name=\"hello\">Hello %1$s</string></resources>")
      let keep = "<resources xmlns:tools=\"http://schemas.android.com/tools\" tools:keep=\"@string/*\" />"
      try write("res/raw/keep.xml", keep)
      try write("catalog.yaml", catalog("hello"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func catalog(_ key: String) -> String {
      """
      version: 1
      resources: {android: res}
      templates:
        greeting:
          params: {name: {type: string, max_length: 20}}
          body: {android: \(key), args: [name]}
      """
    }

    /// Writes as editors do: into another file, which then replaces the old one.
    func write(_ name: String, _ text: String) throws {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file, options: .atomic)
    }

    func run(_ body: (DevelopmentGateway, ShownLines) throws -> Void) async throws {
      var settings = DevelopmentGateway.Settings()
      settings.listen = .tcp(host: "127.0.0.1", port: 0)
      settings.emulatorListen = .tcp(host: "127.0.0.1", port: 0)
      settings.catalog = folder.appending(path: "catalog.yaml").path
      let lines = lines
      let development = try await DevelopmentGateway(settings: settings, log: .silent) { lines.add($0) }
      let result = Result { try body(development, lines) }
      await development.shutDown()
      try result.get()
    }
  }

  @Test func aChangeIsLoadedAtOnce() async throws {
    let scene = try Scene()
    try await scene.run { _, lines in
      try scene.write("catalog.yaml", scene.catalog("helo"))
      let broken = try #require(lines.next())
      #expect(broken.hasPrefix("reloaded 1 template in "))
      let worst = ": 1 new finding, 0 fixed, 1 in all; worst: error MissingKey helo, "
      #expect(broken.contains(worst + "\(scene.folder.path)/catalog.yaml:"), "\(broken)")
      try scene.write("catalog.yaml", scene.catalog("hello"))
      try lines.expectNext { $0.hasSuffix(": 0 new findings, 1 fixed, 0 in all") }
    }
  }

  @Test func saysWhatTheCatalogHas() async throws {
    let scene = try Scene()
    try await scene.run { development, _ in #expect(development.summary == "1 template, 0 errors, 0 warnings")
    }
    try scene.write("catalog.yaml", scene.catalog("helo"))
    try await scene.run { development, _ in #expect(development.summary == "1 template, 1 error, 0 warnings")
    }
  }

  @Test func aBrokenCatalogLeavesTheOldOne() async throws {
    let scene = try Scene()
    try await scene.run { development, lines in
      try scene.write("catalog.yaml", "version: 1\ntemplates: 3\n")
      let line = try #require(lines.next())
      #expect(line.hasPrefix("not reloaded; the old catalog stays in force: "))
      #expect(line.contains("catalog.yaml:2"))
      #expect(development.gateway.catalogs.first?.catalog.templates.map(\.name) == ["greeting"])
      // The watch goes on.
      try scene.write("catalog.yaml", scene.catalog("hello"))
      try lines.expectNext { $0.hasPrefix("reloaded 1 template") }
    }
  }

  /// A language is a folder that appears; a project can also get its strings only later.
  @Test func foldersThatAppearLaterAreWatched() async throws {
    let scene = try Scene()
    try await scene.run { development, lines in
      try scene.write(
        "res/values-de/strings.xml", "<resources><string name=\"hello\">Hallo</string></resources>")
      try lines.expectNext { $0.contains("1 new finding") }
      // In the folder that was not there at the start.
      try scene.write(
        "res/values-de/strings.xml", "<resources><string name=\"hello\">Hallo %1$s</string></resources>")
      try lines.expectNext { $0.contains("1 fixed") }
      try FileManager.default.removeItem(at: scene.folder.appending(path: "res"))
      _ = try #require(lines.next())
      try scene.write(
        "res/values/strings.xml", "<resources><string name=\"hello\">A %1$s</string></resources>")
      while development.gateway.catalogs.first?.resources?.android?.tables.count != 1 {
        _ = try #require(lines.next())
      }
    }
  }

  /// A translator sees the text at once; a new language is a file that appears.
  @Test(arguments: [
    ("{arb: l10n}", "app_LANGUAGE.arb", "{\"hello\": \"TEXT {name}\"}"),
    ("{i18next: 'l10n/{locale}/p.json'}", "LANGUAGE/p.json", "{\"hello\": \"TEXT {{name}}\"}"),
    ("{gettext: 'l10n/{locale}.po'}", "LANGUAGE.po", "msgid \"hello\"\nmsgstr \"TEXT %(name)s\"\n"),
  ])
  func sourcesAreWatched(source: String, name: String, content: String) async throws {
    let scene = try Scene()
    func write(_ text: String, in language: String) throws {
      try scene.write(
        "l10n/\(name.replacing("LANGUAGE", with: language))", content.replacing("TEXT", with: text))
    }
    try write("Hello", in: "en")
    let catalog = scene.catalog("hello").replacing("android: res", with: "android: res, sources: [\(source)]")
    try scene.write("catalog.yaml", catalog.replacing("android: hello", with: "key: hello"))
    try await scene.run { development, lines in
      func shown(_ table: String) -> String? {
        development.gateway.catalogs.first?.resources?.android?.table(table)?["hello"]?.text
      }
      #expect(shown("default") == "Hello %1$s")
      try write("Hi", in: "en")
      try lines.expectNext { $0.hasPrefix("reloaded 1 template") }
      #expect(shown("default") == "Hi %1$s")
      try write("Salut", in: "fr")
      try lines.expectNext { $0.hasPrefix("reloaded 1 template") && shown("fr") == "Salut %1$s" }
    }
  }

  /// A module that the application does not depend on has nothing that counts.
  @Test func aProjectIsWatchedWhereItsStringsCount() async throws {
    let scene = try Scene()
    try scene.write("settings.gradle", "include ':app', ':push', ':other'")
    try scene.write(
      "app/build.gradle",
      "apply plugin: 'com.android.application'\ndependencies { implementation project(':push') }")
    for module in ["app", "push", "other"] {
      try scene.write(
        "\(module)/src/main/res/values/strings.xml",
        "<resources><string name=\"\(module)\">A %1$s</string></resources>")
    }
    try scene.write(
      "catalog.yaml",
      scene.catalog("push").replacing("android: res", with: "android: {project: .}"))
    try await scene.run { development, lines in
      let root = scene.folder.path
      let watched = development.watchedPaths
      for path in ["app/src/main/res", "push/src/main/res", "settings.gradle", "push/build.gradle"] {
        #expect(watched.contains("\(root)/\(path)"), "\(path)")
      }
      #expect(!watched.contains("\(root)/other/src/main/res"))
      #expect(!watched.contains(root))
      try scene.write(
        "push/src/main/res/values/strings.xml",
        "<resources><string name=\"push\">B %1$s %2$d</string></resources>")
      try lines.expectNext { $0.hasPrefix("reloaded 1 template") }
    }
  }

  /// A version control system removes files and writes them again when it switches branches.
  @Test func aLinkedCatalogMayBeAwayForAWhile() async throws {
    let scene = try Scene()
    let real = scene.folder.appending(path: "shared/push/real.yaml")
    try scene.write("shared/push/real.yaml", scene.catalog("hello"))
    let files = FileManager.default
    let link = scene.folder.appending(path: "catalog.yaml").path
    try files.removeItem(atPath: link)
    try files.createSymbolicLink(atPath: "\(scene.folder.path)/push", withDestinationPath: "shared/push")
    try files.createSymbolicLink(atPath: link, withDestinationPath: "push/real.yaml")
    try await scene.run { _, lines in
      for gone in [real, scene.folder.appending(path: "shared")] {
        try files.removeItem(at: gone)
        try lines.expectNext { $0.hasPrefix("not reloaded; ") }
        try scene.write("shared/push/real.yaml", scene.catalog("hello"))
        try lines.expectNext { $0.hasPrefix("reloaded 1 template") }
      }
    }
  }

  @Test func aReloadCanBeRequested() async throws {
    let scene = try Scene()
    try await scene.run { development, lines in
      development.reload()
      try lines.expectNext { $0.hasSuffix(": 0 new findings, 0 fixed, 0 in all") }
    }
  }

  @Test func showsRequestsAndPushes() async throws {
    let scene = try Scene()
    try await scene.run { development, lines in
      func client(of address: HTTPListenAddress) throws -> HTTPTestClient {
        guard case .tcp(_, let port) = address else { throw CancellationError() }
        return HTTPTestClient(port: port)
      }
      let gateway = try client(of: development.gateway.address)
      let faults: JSON = [
        "rules": [
          ["token": "gone-*", "error_code": "UNREGISTERED"],
          ["token": "busy-*", "error_code": "UNAVAILABLE"],
        ]
      ]
      let emulator = try client(of: development.emulatorAddress)
      #expect(try emulator.send("PUT", "/faults", body: faults.serialized).status == 200)
      for (token, result) in [
        ("alice-phone", "sent, "), ("gone-phone", "failed (UNREGISTERED), "), ("busy-phone", "UNAVAILABLE, "),
      ] {
        let body: JSON = [
          "template": "greeting", "to": ["token": .string(token)], "args": ["name": "Bob"],
        ]
        #expect(try gateway.post("/v1/notifications", body).status == 202)
        lines.waitFor(["POST /v1/notifications 202, ", "greeting → \(token) \(result)"])
      }
      // The console's own requests would hide the others.
      #expect(try gateway.get("/v1/stats", headers: [("Sec-Fetch-Mode", "cors")]).status == 200)
      #expect(try gateway.get("/v1/templates").status == 200)
      lines.waitFor(["GET /v1/templates 200, "])
      #expect(!lines.seen.contains { $0.hasPrefix("GET /v1/stats") })
    }
  }

  @Test(
    arguments: [
      (Target.token("alice-phone"), "alice-phone"), (.topic("news"), "topic news"),
      (.token("bk3RNwTe3H0:CI2k_HHwgIpo"), nil), (.token(String(repeating: "a", count: 33)), nil),
      (.fid("alice-phone"), nil), (.condition("'a' in topics"), nil),
    ] as [(Target, String?)])
  func showsNoRealToken(target: Target, name: String?) {
    let shown = PushLines.name(of: target)
    #expect(shown == name ?? "\(target.field) \(Redaction.shortHash(target.value))")
  }
}

/// The lines that were shown, in order.
private final class ShownLines: Sendable {
  private let lines = Mutex<[String]>([])
  private let all = Mutex<[String]>([])
  private let arrived = DispatchSemaphore(value: 0)

  func add(_ line: String) {
    all.withLock { $0.append(line) }
    lines.withLock { $0.append(line) }
    arrived.signal()
  }

  /// The next line; nil if none comes within 20 s.
  func next() -> String? {
    guard arrived.wait(timeout: .now() + 20) == .success else { return nil }
    return lines.withLock { $0.removeFirst() }
  }

  /// Expects of the next line what `isTrue` says.
  func expectNext(_ isTrue: (String) -> Bool) throws {
    let line = try #require(next())
    #expect(isTrue(line), "\(line)")
  }

  /// Waits for a line with each beginning, in any order; records an issue if one does not come.
  func waitFor(_ beginnings: [String]) {
    var missing = beginnings
    while !missing.isEmpty {
      guard let line = next() else {
        Issue.record("no line begins with \(missing)")
        return
      }
      missing.removeAll { line.hasPrefix($0) }
    }
  }

  /// All lines so far.
  var seen: [String] { all.withLock { $0 } }
}
