import Catalog
import FCMMessage
import JSON
import Testing

@testable import CatalogCheck

/// Who renders the texts of a message, by what is known about its recipient.
@Suite struct RecipientTextsTests {
  private let old: RecipientApp.Texts = [
    "default": ["title": "Hi", "body": "%1$s wrote"], "fr": ["title": "Salut", "body": "%1$s a écrit"],
  ]

  private func withReleases(next: String? = nil) throws -> RecipientApp {
    var without = old
    for table in without.keys { without[table]?["body"] = nil }
    return try RecipientApp(
      old: [(.android, "4.1", without), (.android, "4.9", old)], next: next)
  }

  @Test func sendsKeysToAnybodyElse() throws {
    let app = try RecipientApp()
    #expect(try app.shown(Recipient("android fr")) == "[title] | [body Bob]")
    #expect(try app.shown(Recipient("android 1.0 fr")) == "[title] | [body Bob]")
    #expect(try app.shown(Recipient("ios fr")) == "[TITLE] | [BODY Bob]")
    #expect(try app.message(Recipient()) == app.message(Recipient(), .device))
  }

  /// A message without a recipient is the same, byte for byte, on both ways to assemble it.
  @Test func aRecipientOfWhomNothingIsKnownChangesNothing() throws {
    let app = try RecipientApp()
    let request = AssemblyRequest(template: "t", args: .init([("name", "Bob")]))
    let prepared = try app.catalog.prepare(request).get()
    let content = try app.texts.content(of: prepared, for: Recipient(), render: .auto)
    let plain = try app.catalog.assemble(request).get()
    #expect(try prepared.message(content).get().message == plain.message)
  }

  @Test func leavesOutTheOtherPlatforms() throws {
    let app = try RecipientApp()
    #expect(Set(try app.message(Recipient("android")).object?.members.map(\.key) ?? []) == ["android"])
    #expect(Set(try app.message(Recipient("ios")).object?.members.map(\.key) ?? []) == ["apns"])
    #expect(Set(try app.message(Recipient("web")).object?.members.map(\.key) ?? []) == ["webpush"])
    let parts = try app.message(Recipient()).object?.members.map(\.key) ?? []
    #expect(parts == ["android", "apns", "webpush"])
  }

  @Test func writesTextsForReleasesThatLackAKey() throws {
    let app = try withReleases()
    // Both slots, although only the body's key is missing.
    #expect(try app.shown(Recipient("android 4.1 fr")) == "Bienvenue | Bob a écrit")
    #expect(try app.shown(Recipient("android 4.8.9 fr-CA")) == "Bienvenue | Bob a écrit")
    #expect(try app.shown(Recipient("android 4.1 ja")) == "Welcome | Bob wrote")
    #expect(try app.shown(Recipient("android 4.9 fr")) == "[title] | [body Bob]")
    #expect(try app.shown(Recipient("android 4.10 fr")) == "[title] | [body Bob]")
    // Older than all that are known.
    #expect(try app.shown(Recipient("android 4.0 fr")) == "Bienvenue | Bob a écrit")
    // Nothing is known about the releases of the other platform.
    #expect(try app.shown(Recipient("ios 4.0 fr")) == "[TITLE] | [BODY Bob]")
    #expect(try app.shown(Recipient("4.0 fr")) == "[title] | [body Bob]")
    #expect(try app.shown(Recipient("android 4.1 fr"), .device) == "[title] | [body Bob]")
  }

  @Test func comparesAReleaseOfNumbers() throws {
    var lacking = old
    lacking["default"]?["body"] = nil
    lacking["fr"]?["body"] = nil
    let app = try RecipientApp(old: [(.android, "4.9", old), (.android, "4.10", lacking)])
    #expect(try app.shown(Recipient("android 4.9.5 fr")) == "[title] | [body Bob]")
    #expect(try app.shown(Recipient("android 4.10 fr")) == "Bienvenue | Bob a écrit")
  }

  @Test func aReleaseThatIsNotListedAndHasItsVersionCounts() throws {
    #expect(try withReleases().shown(Recipient("android 5.0 fr")) == "[title] | [body Bob]")
    var lacking = RecipientApp.android
    lacking["default"]?["body"] = nil
    lacking["fr"]?["body"] = nil
    let app = try RecipientApp(android: lacking, old: [(.android, "4.9", old)], next: "5.0")
    #expect(try app.shown(Recipient("android 4.9 fr")) == "[title] | [body Bob]")
    #expect(try app.shown(Recipient("android 5.1 fr")) == "Bienvenue | News.")
  }

  @Test func writesTheFallbackWithoutALanguage() throws {
    let app = try withReleases()
    #expect(try app.shown(Recipient("android 4.1")) == "Hello | News.")
    #expect(try app.shown(Recipient("android 4.9")) == "[title] | [body Bob]")
    let bare = try RecipientApp(
      RecipientApp.templates.replacing("fallback: {title: Hello, body: News.}", with: "fallback: {title: A}"),
      old: [(.android, "4.1", ["default": ["title": "Hi"]])])
    #expect(try bare.shown(Recipient("android 4.1")) == "not renderable: body")
    #expect(try bare.shown(Recipient("android 4.1 fr")) == "Bienvenue | Bob a écrit")
  }

  /// Android looks for a key in `values/` too; an iPhone looks in one language only.
  @Test func knowsWhereAReleaseLooksForAKey() throws {
    let gap: RecipientApp.Texts = [
      "default": ["title": "Hi", "body": "%1$s wrote"], "fr": ["title": "Salut"],
    ]
    let android = try RecipientApp(old: [(.android, "1", gap)])
    #expect(try android.shown(Recipient("android 1 fr")) == "[title] | [body Bob]")
    let apple: RecipientApp.Texts = ["en": ["TITLE": "Hi", "BODY": "%@ wrote"], "fr": ["TITLE": "Salut"]]
    let ios = try RecipientApp(old: [(.ios, "1", apple)])
    #expect(try ios.shown(Recipient("ios 1 fr")) == "Bienvenue ! | Bob a écrit !")
    #expect(try ios.shown(Recipient("ios 1 de")) == "[TITLE] | [BODY Bob]")
    #expect(try ios.shown(Recipient("ios 1 de,fr")) == "Bienvenue ! | Bob a écrit !")
    // Some language has it.
    #expect(try ios.shown(Recipient("ios 1")) == "[TITLE] | [BODY Bob]")
  }

  @Test func writesTextsForReleasesThatBreak() throws {
    let broken: RecipientApp.Texts = [
      "default": ["title": "Hi", "body": "%1$s wrote"], "fr": ["title": "Salut", "body": "%1$d a écrit"],
    ]
    let app = try RecipientApp(old: [(.android, "1", broken)])
    #expect(try app.shown(Recipient("android 1 fr")) == "Bienvenue | Bob a écrit")
    #expect(try app.shown(Recipient("android 1 de")) == "[title] | [body Bob]")
    #expect(try app.shown(Recipient("android 1")) == "Hello | News.")
  }

  @Test func sendsKeysToReleasesThatCannotBeRead() throws {
    var without = old
    for table in without.keys { without[table]?["body"] = nil }
    let app = try RecipientApp(old: [
      (.android, "4.1", without), (.android, "4.9", [:]), (.android, "5", old),
    ])
    #expect(try app.shown(Recipient("android 4.1 fr")) == "Bienvenue | Bob a écrit")
    #expect(try app.shown(Recipient("android 4.9 fr")) == "[title] | [body Bob]")
    #expect(try app.shown(Recipient("android 4.10")) == "[title] | [body Bob]")
    #expect(try app.shown(Recipient("android 4.0 fr")) == "Bienvenue | Bob a écrit")
    // Nothing is known about any release then.
    let unknown = try RecipientApp(old: [(.android, "4.9", [:])])
    #expect(try unknown.shown(Recipient("android 4.8 fr")) == "[title] | [body Bob]")
    #expect(try unknown.shown(Recipient("android 4.9 fr")) == "[title] | [body Bob]")
  }

  @Test func theGatewayWritesWhatItIsAskedTo() throws {
    let app = try RecipientApp()
    #expect(try app.shown(Recipient("android fr"), .gateway) == "Bienvenue | Bob a écrit")
    #expect(try app.shown(Recipient("ios fr-CH"), .gateway) == "Bienvenue ! | Bob a écrit !")
    let all = try app.message(Recipient("fr"), .gateway)
    #expect(all["android"]?["notification"]?["body"] == "Bob a écrit")
    #expect(all["android"]?["notification"]?["body_loc_key"] == nil)
    #expect(all["android"]?["notification"]?["body_loc_args"] == nil)
    #expect(
      all["apns"]?["payload"]?["aps"]?["alert"] == ["title": "Bienvenue !", "body": "Bob a écrit !"])
    #expect(all["webpush"]?["notification"] == ["title": "Bienvenue", "body": "Bob a écrit"])
  }

  @Test func aTextThatCannotBeShownTakesTheFallback() throws {
    var android = RecipientApp.android
    android["fr"] = ["title": "%1$s", "body": "100%"]
    android["default"]?["title"] = nil
    let app = try RecipientApp(android: android)
    // The build leaves out the title, and the body crashes the app.
    #expect(try app.shown(Recipient("android fr"), .gateway) == "Hello | News.")
    #expect(try app.shown(Recipient("android de"), .gateway) == "Hello | Bob wrote")
    let bare = try RecipientApp(
      RecipientApp.templates.replacing("fallback: {title: Hello, body: News.}", with: ""), android: android,
      ios: nil)
    #expect(try bare.shown(Recipient("android fr"), .gateway) == "not renderable: title, body")
    #expect(try bare.shown(Recipient("android de"), .gateway) == "not renderable: title")
    #expect(try bare.shown(Recipient("ios de"), .gateway) == "not renderable: title, body")
  }

  /// A phone shows the text of the app's library, but the gateway cannot write it.
  @Test func aTextThatOnlyThePhoneKnowsTakesTheFallback() throws {
    var android = RecipientApp.android
    android["default"]?["body"] = "@string/lib_body"
    let app = try RecipientApp(android: android, ios: nil)
    #expect(try app.shown(Recipient("android de"), .gateway) == "Welcome | News.")
    #expect(try app.shown(Recipient("web de"), .gateway) == "Welcome | News.")
    #expect(try app.shown(Recipient("android fr"), .gateway) == "Bienvenue | Bob a écrit")
    #expect(try app.shown(Recipient("android de")) == "[title] | [body Bob]")
    let bare = try RecipientApp(
      RecipientApp.templates.replacing("fallback: {title: Hello, body: News.}", with: ""), android: android,
      ios: nil)
    #expect(try bare.shown(Recipient("android de"), .gateway) == "not renderable: body")
    #expect(try bare.shown(Recipient("web de")) == "not renderable: body")
  }

  @Test func anErrorNamesNeitherLanguageNorRelease() throws {
    let app = try RecipientApp("    t: {body: {android: none}}", ios: nil)
    let request = AssemblyRequest(template: "t")
    let prepared = try app.catalog.prepare(request).get()
    let recipient = try Recipient("android 77.66.55 tlh")
    let error = #expect(throws: NotRenderableError.self) {
      try app.texts.content(of: prepared, for: recipient, render: .gateway)
    }
    let text = "\(try #require(error)) \(error?.slots.map(\.reason) ?? [])"
    #expect(!text.contains("tlh") && !text.contains("77.66"))
    #expect("\(recipient)" == "a recipient")
    var dumped = ""
    dump(recipient, to: &dumped)
    #expect(!dumped.contains("tlh") && !String(reflecting: recipient).contains("77.66"))
  }

  @Test func browsersReadAndroidsTextsAndOtherwiseTheIPhones() throws {
    let app = try RecipientApp()
    #expect(try app.shown(Recipient("web fr")) == "Bienvenue | Bob a écrit")
    #expect(try app.shown(Recipient("web")) == "Hello | News.")
    #expect(try app.shown(Recipient("web fr"), .device) == "Bienvenue | Bob a écrit")
    #expect(try RecipientApp(android: nil).shown(Recipient("web fr")) == "Bienvenue ! | Bob a écrit !")
    let bare = RecipientApp.templates.replacing("fallback: {title: Hello, body: News.}", with: "")
    #expect(try RecipientApp(bare).shown(Recipient("web fr")) == "Bienvenue | Bob a écrit")
    #expect(try RecipientApp(bare).shown(Recipient("web")) == "not renderable: title, body")
    #expect(try RecipientApp(bare).message(Recipient("fr"))["webpush"] == nil)
    let own = try RecipientApp(
      bare + "\n    webpush: {notification: {title: Own}}\n",
      defaults: "{webpush: {headers: {Urgency: high}, notification: {icon: i.png}}}")
    let message = try own.message(Recipient("web fr"))["webpush"]
    #expect(message?["notification"] == ["title": "Own", "body": "Bob a écrit", "icon": "i.png"])
    #expect(message?["headers"]?["Urgency"] == "high")
  }

  /// A message for any platform has the browser's language too, where it has texts for browsers.
  @Test func aBrowserAmongOthersReadsItsLanguage() throws {
    let message = try RecipientApp().message(Recipient("fr"))
    #expect(message["webpush"]?["notification"] == ["title": "Bienvenue", "body": "Bob a écrit"])
    #expect(message["android"]?["notification"]?["body_loc_key"] == "body")
  }

  @Test func rememberedLanguagesAreBounded() {
    let cache = BoundedCache<Int, Int>(countMax: 10)
    for key in 0..<100 { #expect(cache.value(key) { key * 2 } == key * 2) }
    #expect(cache.count <= 10)
    #expect(cache.value(99) { -1 } == 198)
  }
}
