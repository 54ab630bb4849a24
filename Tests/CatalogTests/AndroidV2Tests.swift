import JSON
import Testing

@testable import Catalog

/// Templates that use FCM's newer options for Android, and the notification for all platforms.
@Suite struct AndroidV2Tests {
  @Test func putsTextsAndSettingsIntoTheNewerForm() throws {
    let message = try Fixture.message(
      template: """
        {params: {name: {type: string}}, ttl: 1h, priority: high, collapse_key: c,
         title: {android: k, args: [name]},
         android_v2: {directBootOk: true, remoteNotification: {mutable_content: true, notification: {id: 7}}}}
        """, args: ["name": "A"])
    #expect(
      message == [
        "android_v2": [
          "collapse_key": "c", "ttl": "86400s", "direct_boot_ok": true,
          "remote_notification": [
            "notification": ["title_loc_key": "k", "title_loc_args": ["A"], "id": 7, "tag": "c"],
            "mutable_content": true,
          ],
        ]
      ])
  }

  @Test func aTemplateChoosesAmongTheForms() throws {
    let first = "{android: {notification: {channel_id: old}}}"
    let second = "{android_v2: {remote_notification: {notification: {channel_id: new}}}}"
    let slot = "device_identity: false, body: {android: k}"
    #expect(
      try Fixture.message(template: "{\(slot)}", defaults: second) == [
        "android_v2": [
          "remote_notification": ["notification": ["body_loc_key": "k", "channel_id": "new"]]
        ]
      ])
    #expect(
      try Fixture.message(template: "{\(slot), android_v2: {direct_boot_ok: true}}", defaults: first) == [
        "android_v2": [
          "direct_boot_ok": true, "remote_notification": ["notification": ["body_loc_key": "k"]],
        ]
      ])
    #expect(
      try Fixture.message(template: "{\(slot), android: {direct_boot_ok: true}}", defaults: second) == [
        "android": ["direct_boot_ok": true, "notification": ["body_loc_key": "k"]]
      ])
    #expect(try Fixture.message(template: "{data: {a: b}}", defaults: second) == ["data": ["a": "b"]])
  }

  @Test func refusesBothFormsAndOtherConflicts() {
    for template in [
      "{body: {ios: K}, android: {direct_boot_ok: true}, android_v2: {direct_boot_ok: true}}",
      "{body: {android: k}, android_v2: {background_sync: {}}}",
      "{body: {android: k}, android_v2: {remote_notification: {notification: {body_loc_key: other}}}}",
      "{body: {android: k}, android_v2: {remote_notification: {notification: {body: Hi}}}}",
      "{ttl: 5s, body: {android: k}, android_v2: {ttl: 5s}}",
      "{body: {android: k}, android_v2: {priority: HIGH}}",
      "{body: {android: k}, android_v2: {remote_notification: {notification: {image: 'http://a/b'}}}}",
    ] {
      let problems = Fixture.problems(template: template)
      #expect(problems.count == 1, "\(template): \(problems)")
    }
  }

  @Test func takesValuesOfARequest() throws {
    let template = """
      {params: {p: {type: string}}, body: {android: k},
       android_v2: {ttl: {$param: p}, remote_notification: {notification: {ticker: {$param: p}}}}}
      """
    let message = try Fixture.message(template: template, args: ["p": "60s"])
    #expect(message["android_v2"]?["ttl"] == "86400s")
    #expect(message["android_v2"]?["remote_notification"]?["notification"]?["ticker"] == "60s")
    let errors = try Fixture.inputErrors(template: template, args: ["p": "1h"])
    #expect(errors.count == 1 && errors[0].contains("FCM rejects the value in android_v2.ttl"), "\(errors)")
  }

  @Test func takesTheNotificationForAllPlatforms() throws {
    let id: JSON = "01990000-0000-7000-8000-000000000000"
    #expect(
      try Fixture.message(template: "{notification: {title: T, image: 'https://a/b'}}") == [
        "notification": ["title": "T", "image": "https://a/b"], "android": ["notification": ["tag": id]],
        "apns": ["headers": ["apns-collapse-id": id]],
      ])
    let image = "{notification: {image: 'https://a/b'}}"
    let shown = try Fixture.message(template: "{body: {android: k}}", defaults: image)
    #expect(shown["notification"] == ["image": "https://a/b"])
    #expect(try Fixture.message(template: "{data: {a: b}}", defaults: image) == ["data": ["a": "b"]])
    let literal = Fixture.problems(template: "{title: {android: k}, notification: {title: Hi}}")
    #expect(literal.count == 1 && literal[0].contains("a literal title overrides the key"), "\(literal)")
    #expect(Fixture.problems(template: "{title: {ios: K}, notification: {title: Hi}}") == [])
  }
}
