import FCMMessage
import Testing
import YAML

@testable import Catalog

/// `releases:` and `since:`.
@Suite struct ReleaseTests {
  @Test(arguments: [
    ("4.9", "4.10"), ("4.1.0", "4.1.1"), ("2", "10"), ("4.2.0-beta1", "4.2.0"), ("4.1.9", "4.2.0-beta1"),
    ("7", "7.0.1"), ("1.99999999999999999999999", "1.100000000000000000000000"), ("v4.1", "4.2"),
    ("4.2-alpha", "4.2-beta"), ("4.12-beta9", "4.12-beta10"), ("4.12-beta10", "4.12"),
    ("4.9 (7)", "4.10 (1)"),
    ("4.2-beta", "4.2-beta1"), ("4.2-beta.9", "4.2-beta.10"), ("4.2-1", "4.2-a"),
    ("4.2-beta9+99", "4.2-beta10 (1)"),
    ("4.2-beta2", "4.2-rc1"),
  ])
  func comparesNumberByNumber(older: String, newer: String) throws {
    let (older, newer) = (try #require(ReleaseVersion(older)), try #require(ReleaseVersion(newer)))
    #expect(older < newer)
    #expect(!(newer < older))
    #expect(older != newer)
  }

  @Test(arguments: [("4.1", "4.1.0"), ("4.01", "4.1"), ("v2", "2.0.0"), ("0", "0.0")])
  func missingNumbersAreZero(left: String, right: String) throws {
    let (left, right) = (try #require(ReleaseVersion(left)), try #require(ReleaseVersion(right)))
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    #expect(!(left < right) && !(right < left))
  }

  /// Build metadata (Semantic Versioning 2.0.0, §10), and the build that an About screen adds.
  @Test(arguments: [
    ("4.10 (123)", "4.10"), ("4.10(123)", "4.10.0"), ("4.10+build", "4.10"), ("4.10+4-x", "4.10 (9)"),
    ("4.10-beta9 (123)", "4.10-beta9"), ("4.10-beta09", "4.10-beta9"), ("4.10 ", "4.10"), ("4.10 ()", "4.10"),
  ])
  func aBuildDoesNotCount(left: String, right: String) throws {
    let (left, right) = (try #require(ReleaseVersion(left)), try #require(ReleaseVersion(right)))
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    #expect(!(left < right) && !(right < left))
  }

  @Test(arguments: ["", "beta", ".1", "v", "-1", "4.1\n", String(repeating: "1", count: 129)])
  func refusesWhatIsNoVersion(text: String) {
    #expect(ReleaseVersion(text) == nil)
  }

  private func parse(_ text: String) throws -> Catalog {
    try Catalog.parse(Array(text.utf8), file: "push/catalog.yaml")
  }

  private func problems(_ text: String) -> [String] {
    do {
      _ = try parse(text)
      return []
    } catch {
      return (error as? CatalogError)?.problems.map(\.description) ?? []
    }
  }

  @Test func readsReleasesAndSince() throws {
    let catalog = try parse(
      """
      version: 1
      releases:
        android: [{version: 4.10, resources: releases/b.json}, {version: 4.9, resources: /a.apk}]
        ios: [{version: "7.0", resources: App.ipa}]
      templates:
        t: {body: {android: k, ios: K}, since: {android: 4.10, ios: "7.0"}}
        u: {body: {android: k}}
      """)
    #expect(catalog.releases.android.map(\.version.text) == ["4.9", "4.10"])
    #expect(catalog.releases.android.map(\.resources) == ["/a.apk", "push/releases/b.json"])
    #expect(catalog.releases.ios.map(\.line) == [4])
    let template = try #require(catalog.template("t"))
    #expect(template.since.android?.text == "4.10")
    #expect(template.since[.ios]?.text == "7.0")
    #expect(!template.since.allows(catalog.releases.android[0].version, on: .android))
    #expect(template.since.allows(catalog.releases.android[1].version, on: .android))
    #expect(catalog.template("u")?.since == ReleaseFloor.none)
  }

  @Test func reportsMistakes() {
    let found = problems(
      """
      version: 1
      releases:
        android: [{version: 4.1, resources: a}, {version: 4.1.0, resources: b}, {version: x, resources: c}, {version: 5}]
        web: []
      templates:
        t: {body: {android: k}, since: {android: [1], macos: 2}}
      """)
    #expect(found.count == 6)
    #expect(found.contains { $0.contains("releases.android[1].version: the same version as in line 3") })
    #expect(found.contains { $0.contains("releases.android[2].version: must be a version") })
    #expect(found.contains { $0.contains("releases.android[3].resources: missing") })
    #expect(found.contains { $0.contains("releases.web: unknown field") })
    #expect(found.contains { $0.contains("since.android: expected a version") })
    #expect(found.contains { $0.contains("since.macos: unknown field") })
  }
}
