import Catalog
import JSON
import Testing

@Suite struct OverlayTests {
  @Test func mergesTemplatesIntoDefaultsObjectByObject() throws {
    let message = try Fixture.message(
      template: """
        {title: {android: k, ios: K}, data: {b: "2"}, device_identity: false,
         android: {notification: {color: "#00ff00"}, direct_boot_ok: true},
         apns: {payload: {aps: {badge: 3}, screen: {id: [1, 2.50, null, true]}}, fcm_options: {image: "https://a/b"}}}
        """,
      defaults: """
        {data: {a: "1", b: "1"}, android: {notification: {channelId: general, color: "#ff0000"}},
         apns: {payload: {aps: {sound: default, badge: 1}}}, fcm_options: {analytics_label: all}}
        """)
    #expect(
      message == [
        "data": ["a": "1", "b": "2"],
        "android": [
          "notification": ["title_loc_key": "k", "channel_id": "general", "color": "#00ff00"],
          "direct_boot_ok": true,
        ],
        "apns": [
          "payload": [
            "aps": ["alert": ["title-loc-key": "K"], "sound": "default", "badge": 3],
            "screen": ["id": [1, .number(try #require(JSON.parse("2.50").number)), nil, true]],
          ],
          "fcm_options": ["image": "https://a/b"],
        ],
        "fcm_options": ["analytics_label": "all"],
      ])
  }

  @Test func nullRemovesDefaults() throws {
    let message = try Fixture.message(
      template: "{title: {ios: K}, device_identity: false, apns: {payload: {aps: {sound: null}}}}",
      defaults: "{apns: {payload: {aps: {sound: default, badge: 1}}}}")
    #expect(message["apns"]?["payload"]?["aps"] == ["alert": ["title-loc-key": "K"], "badge": 1])
  }

  @Test func leavesAPlatformOutOnWhichATemplateShowsNothing() throws {
    let defaults = "{android: {notification: {channel_id: c}}, apns: {payload: {aps: {sound: default}}}}"
    let android = try Fixture.message(template: "{body: {android: k}}", defaults: defaults)
    #expect(android["apns"] == nil)
    #expect(android["android"]?["notification"]?["channel_id"] == "c")
    let ios = try Fixture.message(template: "{body: {ios: K}}", defaults: defaults)
    #expect(ios["android"] == nil)
    #expect(ios["apns"]?["payload"]?["aps"]?["sound"] == "default")
    #expect(try Fixture.message(template: "{data: {a: b}}", defaults: defaults) == ["data": ["a": "b"]])
  }

  @Test func reportsUnknownFieldsAndWrongTypesOfFCMWithTheNearestName() {
    #expect(
      Fixture.problems(
        """
        version: 1
        defaults:
          android:
            notification: {chanel_id: x, sticky: 1}
        templates:
          t:
            data: {n: 5}
            apns: {header: {}, payload: {aps: {badge: "3"}}}
            webpush: {fcm_options: {link: http://a}}
            fcm_options: {analytics_label: "a b"}
        """) == [
          "catalog.yaml:4:20: defaults.android.notification.chanel_id: unknown field; "
            + "did you mean \"channel_id\"?",
          "catalog.yaml:4:42: defaults.android.notification.sticky: must be a boolean, not a number",
          "catalog.yaml:7:15: templates.t.data.n: must be a string, not a number",
          "catalog.yaml:8:12: templates.t.apns.header: unknown field; did you mean \"headers\"?",
          "catalog.yaml:8:47: templates.t.apns.payload.aps.badge: Value type for APS key [badge] is a number.",
          "catalog.yaml:9:35: templates.t.webpush.fcm_options.link: Link must be a URL with https.",
          "catalog.yaml:10:36: templates.t.fcm_options.analytics_label: "
            + "Analytics label must match the pattern \"^[a-zA-Z0-9-_.~%]{1,50}$\".",
        ])
  }

  @Test func appliesTheRulesOfFCMAndAPNs() {
    let rules = [
      ("{android: {ttl: 2419201s}}", "templates.t.android.ttl"),
      ("{data: {from: x}}", "templates.t.data.from"),
      ("{data: {google.x: x}}", "templates.t.data[\"google.x\"]"),
      ("{fcm_options: {analytics_label: a b}}", "templates.t.fcm_options.analytics_label"),
      ("{analytics_label: a b}", "templates.t.analytics_label"),
      ("{apns: {headers: {apns-priority: '7'}}}", "templates.t.apns.headers.apns-priority"),
      (
        "{apns: {headers: {apns-collapse-id: \(String(repeating: "x", count: 65))}}}",
        "templates.t.apns.headers.apns-collapse-id"
      ),
      ("{android: {notification: {title_loc_args: [x]}}}", "templates.t.android.notification.title_loc_args"),
      ("{android: {notification: {color: red}}}", "templates.t.android.notification.color"),
      ("{webpush: {fcm_options: {link: 'http://a'}}}", "templates.t.webpush.fcm_options.link"),
      (
        "{apns: {headers: {apns-priority: '10'}, payload: {aps: {content-available: 1}}}}",
        "templates.t.apns.headers.apns-priority"
      ),
    ]
    for (template, path) in rules {
      let problems = Fixture.problems(template: template)
      #expect(problems.count == 1 && problems[0].contains(": \(path): "), "\(template): \(problems)")
    }
  }

  @Test func rejectsLiteralsThatWouldHideTheTranslation() {
    let literal = "a literal title overrides the key of the slot title on Android"
    let own = Fixture.problems(
      template: "{title: {android: k}, android: {notification: {title: Hi}}}")
    #expect(own.count == 1 && own[0].contains(literal), "\(own)")
    let fromDefaults = Fixture.problems(
      template: "{title: {android: k}}", defaults: "{android: {notification: {title: Hi}}}")
    #expect(fromDefaults.count == 1 && fromDefaults[0].hasPrefix("catalog.yaml:2:44: "), "\(fromDefaults)")
    let onlyInAVariant = Fixture.problems(
      template: """
        {params: {n: {type: integer}}, body: {ios: K, variants: [{when: {n: 1}, android: k}]},
            android: {notification: {body: Hi}}}
        """)
    #expect(onlyInAVariant.count == 1, "\(onlyInAVariant)")
    #expect(
      Fixture.problems(template: "{title: {ios: K}, android: {notification: {title: Hi}}}").isEmpty)
    #expect(Fixture.problems(template: "{title: {android: k}, notification: {title: Hi}}").count == 1)
  }

  @Test func rejectsOverlaysThatConflictWithSlots() {
    let fights = [
      "{title: {android: k}, android: {notification: {title_loc_key: other}}}",
      "{body: {android: k}, android: {notification: {bodyLocArgs: [x]}}}",
      "{body: {ios: K}, apns: {payload: {aps: {alert: Hi}}}}",
      "{body: {ios: K}, apns: {payload: {aps: {alert: {loc-key: OTHER}}}}}",
      "{subtitle: {ios: K}, apns: {payload: {aps: {alert: {subtitle-loc-args: [x]}}}}}",
      "{fallback: {title: A}, apns: {payload: {aps: {alert: {title: B}}}}}",
    ]
    for template in fights {
      let problems = Fixture.problems(template: template)
      #expect(!problems.isEmpty, "\(template)")
    }
  }

  @Test func acceptsLocKeysInOverlaysWithoutSlots() throws {
    let message = try Fixture.message(
      template: """
        {android: {notification: {titleLocKey: k, tag: mine}},
         apns: {payload: {aps: {alert: {loc-key: K, loc-args: [x]}}}}}
        """)
    #expect(message["android"]?["notification"] == ["title_loc_key": "k", "tag": "mine"])
    #expect(message["apns"]?["payload"]?["aps"]?["alert"] == ["loc-key": "K", "loc-args": ["x"]])
  }

  @Test func rejectsNumbersThatJSONDoesNotHave() {
    let problems = Fixture.problems(template: "{apns: {payload: {x: [.inf, -.INF, .nan]}}}")
    #expect(problems.count == 3, "\(problems)")
  }

  @Test func rejectsOneFieldInTwoSpellings() {
    let problems = Fixture.problems(
      template: "{android: {notification: {channelId: a, channel_id: b}}}")
    #expect(problems.count == 1 && problems[0].contains("duplicate of the field channelId"), "\(problems)")
  }
}
