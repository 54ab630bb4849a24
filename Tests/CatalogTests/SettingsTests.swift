import Catalog
import FCMMessage
import JSON
import Testing

@Suite struct SettingsTests {
  private let visible = "{body: {android: k, ios: K}"

  @Test func marksDevicesWithTheDeliveryUnlessTurnedOff() throws {
    let on = try Fixture.message(template: visible + "}")
    #expect(on["android"]?["notification"]?["tag"]?.string == Fixture.placeholderValues.deliveryID)
    #expect(on["apns"]?["headers"]?["apns-collapse-id"]?.string == Fixture.placeholderValues.deliveryID)
    let off = try Fixture.message(template: visible + ", device_identity: false}")
    #expect(off["android"]?["notification"]?["tag"] == nil)
    #expect(off["apns"]?["headers"] == nil)
  }

  @Test func usesACollapseKeyAsTheIdentity() throws {
    let own = try Fixture.message(template: visible + ", collapse_key: inbox}")
    #expect(own["android"]?["collapse_key"] == "inbox")
    #expect(own["android"]?["notification"]?["tag"] == "inbox")
    #expect(own["apns"]?["headers"]?["apns-collapse-id"] == "inbox")
    let requested = try Fixture.message(template: visible + ", collapse_key: inbox}") {
      $0.collapseKey = "thread-42"
    }
    #expect(requested["android"]?["collapse_key"] == "thread-42")
    #expect(requested["android"]?["notification"]?["tag"] == "thread-42")
    #expect(requested["apns"]?["headers"]?["apns-collapse-id"] == "thread-42")
  }

  @Test func keepsTheDeliveryIDWhenACollapseKeyIsTooLongForAPNs() throws {
    let key = String(repeating: "k", count: 65)
    let message = try Fixture.message(template: visible + "}") { $0.collapseKey = key }
    #expect(message["android"]?["notification"]?["tag"]?.string == key)
    #expect(message["apns"]?["headers"]?["apns-collapse-id"]?.string == Fixture.placeholderValues.deliveryID)
  }

  @Test func keepsAnIdentitySetByTheTemplate() throws {
    let message = try Fixture.message(
      template: visible + """
        , android: {notification: {tag: mine}}, apns: {headers: {Apns-Collapse-Id: its}}}
        """)
    #expect(message["android"]?["notification"]?["tag"] == "mine")
    #expect(message["apns"]?["headers"] == ["apns-collapse-id": "its"])
  }

  @Test func sendsTheRemainingTTL() throws {
    let template = visible + ", ttl: 15m, webpush: {notification: {title: x}}}"
    let catalog = try Fixture.catalog(template: template, defaults: "{ttl: 24h}")
    let assembled = try catalog.assemble(AssemblyRequest(template: "t")).get()
    #expect(assembled.ttlSeconds == 900)
    #expect(
      assembled.message.placeholders.map(\.kind) == [
        .ttlSeconds, .deliveryID, .expiration, .deliveryID, .ttlSeconds,
      ])
    let requested = try catalog.assemble(AssemblyRequest(template: "t", ttlSeconds: 60)).get()
    #expect(requested.ttlSeconds == 60)
    let none = try Fixture.catalog(template: visible + "}").assemble(AssemblyRequest(template: "t")).get()
    #expect(none.ttlSeconds == nil)
    #expect(none.message.placeholders.map(\.kind) == [.deliveryID, .deliveryID])
  }

  @Test func writesATTLOfZeroAsNowOrNever() throws {
    let message = try Fixture.message(template: visible + ", ttl: 0s}")
    #expect(message["android"]?["ttl"] == "0s")
    #expect(message["apns"]?["headers"]?["apns-expiration"] == "0")
  }

  @Test func usesAndroidsTTLAsTheTTL() throws {
    let catalog = try Fixture.catalog(template: visible + ", android: {ttl: 3600.5s}}")
    #expect(try catalog.assemble(AssemblyRequest(template: "t")).get().ttlSeconds == 3600)
    #expect(Fixture.problems(template: "{ttl: 5m, android: {ttl: 3600s}}").count == 1)
  }

  @Test func setsThePriorityOnBothPlatforms() throws {
    let normal = try Fixture.message(template: visible + ", priority: normal}", defaults: "{priority: high}")
    #expect(normal["android"]?["priority"] == "normal")
    #expect(normal["apns"]?["headers"]?["apns-priority"] == "5")
    let high = try Fixture.message(template: visible + ", priority: normal}") { $0.priority = "high" }
    #expect(high["android"]?["priority"] == "high")
    #expect(high["apns"]?["headers"]?["apns-priority"] == "10")
    let byHand = try Fixture.message(
      template: visible + ", android: {priority: NORMAL}}", defaults: "{priority: high}")
    #expect(byHand["android"]?["priority"] == "NORMAL")
    #expect(byHand["apns"]?["headers"]?["apns-priority"] == "10")
    let overDefaults = try Fixture.message(
      template: visible + ", priority: high}", defaults: "{android: {priority: NORMAL}}")
    #expect(overDefaults["android"]?["priority"] == "high")
  }

  @Test func wakesABackgroundAppOnlyWithPriorityFive() throws {
    let template = "{data: {a: b}, apns: {payload: {aps: {content-available: 1}}}}"
    let defaults = "{priority: high, apns: {payload: {aps: {sound: default}}}}"
    for request in [nil, "high", "normal"] {
      let message = try Fixture.message(template: template, defaults: defaults) { $0.priority = request }
      #expect(message["apns"]?["headers"] == ["apns-priority": "5"])
      #expect(message["apns"]?["payload"] == ["aps": ["content-available": 1]])
      #expect(message["android"]?["notification"] == nil)
    }
  }

  @Test func reportsFCMsDefaultPriorityWhenNoneIsSet() throws {
    let request = AssemblyRequest(template: "t")
    #expect(try Fixture.catalog(template: visible + "}").assemble(request).get().priority == .high)
    #expect(try Fixture.catalog(template: "{data: {a: b}}").assemble(request).get().priority == .normal)
  }

  @Test func mergesTheRequestsDataIntoTheTemplates() throws {
    let message = try Fixture.message(template: "{data: {a: '1', b: '1'}}") {
      $0.data = .init([("b", "2"), ("c", "\u{2028}\"")])
    }
    #expect(message["data"] == ["a": "1", "b": "2", "c": "\u{2028}\""])
  }

  @Test func labelsMessages() throws {
    let own = try Fixture.message(template: "{analytics_label: t}", defaults: "{analytics_label: d}")
    #expect(own == ["fcm_options": ["analytics_label": "t"]])
    let requested = try Fixture.message(template: "{fcm_options: {analyticsLabel: t}}") {
      $0.analyticsLabel = "r"
    }
    #expect(requested == ["fcm_options": ["analytics_label": "r"]])
  }

  @Test func reportsAllErrorsOfARequestAtOnce() throws {
    let errors = try Fixture.inputErrors(
      template: "{params: {n: {type: integer}}, title: {android: k, args: [n]}}", args: ["m": 1]
    ) {
      $0.ttlSeconds = 2_419_201
      $0.priority = "urgent"
      $0.collapseKey = ""
      $0.analyticsLabel = "a b"
      $0.data = .init([("from", "x"), ("a/b", 1)])
    }
    #expect(
      errors.map { $0.split(separator: ":")[0] } == [
        "/args/m unknown", "/args/n missing", "/ttl out_of_range", "/priority invalid",
        "/collapse_key invalid", "/analytics_label invalid", "/data/from invalid", "/data/a~1b wrong_type",
      ])
  }
}
