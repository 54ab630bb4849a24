import Catalog
import FCMMessage
import JSON
import Testing

@testable import CatalogCheck

/// The rules of `check` on messages that are given as a whole.
@Suite struct RawMessageCheckTests {
  private func check(_ fixture: CheckFixture = CheckFixture()) throws -> RawMessageCheck {
    RawMessageCheck(fixture.resources, ignoring: try fixture.catalog())
  }

  private func findings(_ message: JSON, _ check: RawMessageCheck) -> [String] {
    check.texts(of: message).flatMap(check.findings).map { group in
      [
        group.rule.rawValue, group.severity.rawValue, group.platform?.rawValue ?? "-",
        group.keys.first ?? "-", group.verdict?.rawValue ?? "-", group.locales.joined(separator: ","),
      ].joined(separator: " ").trimmingSpaces
    }
  }

  private func android(_ key: String, args: Int) -> JSON {
    let args = JSON.array((0..<args).map { JSON.string("arg \($0)") })
    return ["token": "t", "android": ["notification": ["body_loc_key": .string(key), "bodyLocArgs": args]]]
  }

  private func ios(_ key: String, args: Int) -> JSON {
    let args = JSON.array((0..<args).map { JSON.string("arg \($0)") })
    return [
      "token": "t", "apns": ["payload": ["aps": ["alert": ["loc-key": .string(key), "loc-args": args]]]],
    ]
  }

  @Test func findsWhatCheckFinds() throws {
    var fixture = CheckFixture()
    fixture.android["default"]?.append(("bad", "%1$d new"))
    fixture.ios["en"]?.append(("ONLY_EN", "Hi"))
    let check = try check(fixture)
    #expect(findings(android("k", args: 2), check) == [])
    #expect(findings(ios("K", args: 2), check) == [])
    #expect(findings(android("nope", args: 0), check) == ["MissingKey error android nope dropped"])
    #expect(findings(ios("NOPE", args: 0), check) == ["MissingKey error ios NOPE raw_key"])
    #expect(
      findings(android("k", args: 1), check) == ["StringFormatCount error android k dropped default,de"])
    #expect(
      findings(android("bad", args: 1), check).first == "StringFormatMatches error android bad crash default")
    #expect(findings(ios("ONLY_EN", args: 0), check) == ["MissingTranslation error ios ONLY_EN raw_key de"])
  }

  @Test func findsLiterals() throws {
    let check = try check()
    let common: JSON = ["token": "t", "notification": ["title": "Hi"]]
    #expect(findings(common, check) == ["LiteralText warning android - -", "LiteralText warning ios - -"])
    let both: JSON = [
      "token": "t", "notification": ["body": "Hi"], "android": ["notification": ["body_loc_key": "k"]],
    ]
    #expect(
      findings(both, check).first == "LiteralOverridesLocKey error android k -")
    #expect(findings(["token": "t", "data": ["a": "b"]], check) == [])
  }

  @Test func looksAtThePlatformsThatTheAppHas() throws {
    var fixture = CheckFixture()
    fixture.ios = [:]
    let resources = AppResources(android: fixture.resources.android)
    let check = RawMessageCheck(resources, ignoring: try fixture.catalog())
    #expect(findings(ios("NOPE", args: 0), check) == [])
    #expect(findings(android("nope", args: 0), check).count == 1)
  }

  @Test func ignoresWhatTheCatalogIgnores() throws {
    var fixture = CheckFixture()
    fixture.ignore = "ignore: [{rule: MissingKey, key: nope, reason: known}]"
    #expect(findings(android("nope", args: 0), try check(fixture)) == [])
  }

  @Test func namesTheFieldOfFCM() throws {
    let check = try check()
    #expect(
      check.texts(of: android("nope", args: 0)).map(\.field) == ["message.android.notification.body_loc_key"])
    #expect(check.texts(of: ios("NOPE", args: 0)).map(\.field) == ["message.apns.payload.aps.alert.loc-key"])
  }

  /// Keys come from outside: what is known of them must not grow for ever.
  @Test func forgetsKeys() throws {
    let check = try check()
    let text = try #require(check.texts(of: android("first", args: 0)).first)
    _ = check.findings(of: text)
    #expect(check.knownFindings(of: text) != nil)
    for number in 0..<5_000 {
      for text in check.texts(of: android("k\(number)", args: 0)) { _ = check.findings(of: text) }
    }
    #expect(check.knownFindings(of: text) == nil)
    let long = String(repeating: "k", count: 300)
    #expect(check.texts(of: android(long, args: 0)).isEmpty)
  }
}

extension String {
  fileprivate var trimmingSpaces: String { hasSuffix(" ") ? String(dropLast()) : self }
}
