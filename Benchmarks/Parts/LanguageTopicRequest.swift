import CatalogCheck
import Clock
import Foundation
import JSON
import Outbox

@testable import API
@testable import Gateway

/// Requests for an app in 40 languages whose readers choose theirs in the app.
struct LanguageTopicRequest {
  enum Readers: Hashable {
    /// A topic by language, and as many devices that share one message.
    case topic, devices
    /// One device: with loc keys, and with texts by the gateway since its reader's language is known.
    case device, deviceInChosenLanguage
  }

  let languages = [
    "af", "am", "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "gu",
    "hi",
    "hr", "hu", "hy", "is", "it", "ja", "ka", "kk", "km", "ko", "lt", "lv", "nb", "nl", "pl", "pt-BR", "ro",
    "ru", "sv", "th", "uk", "vi",
  ]
  private let intake: Intake
  private let requests: [Readers: NotificationRequest]

  /// Writes the app's strings into a folder.
  init(in folder: String, registration: String) throws {
    let base = "\(folder)/languages"
    for language in languages {
      let name = language == "en" ? "values" : "values-\(language.replacing("-", with: "-r"))"
      try FileManager.default.createDirectory(
        atPath: "\(base)/res/\(name)", withIntermediateDirectories: true)
      let text = "\(language): %1$s a écrit %2$s nouveaux messages 新しいメッセージ"
      try Data("<resources><string name=\"body\">\(text)</string></resources>".utf8)
        .write(to: URL(filePath: "\(base)/res/\(name)/strings.xml"))
    }
    try Data(
      """
      version: 1
      language: app
      resources: {android: res, development_language: en}
      topics: {news: {by_language: [\(languages.joined(separator: ", "))]}}
      templates:
        t:
          params: {name: {type: string}, count: {type: integer, format: number}}
          body: {android: body, args: [name, count]}
          fallback: {body: You have new messages.}
      """.utf8
    ).write(to: URL(filePath: "\(base)/catalog.yaml"))
    let checked = try CheckedCatalog(try AppCatalog.load(file: "\(base)/catalog.yaml"))
    let app = APIState.App(
      name: "default", catalog: checked.catalog, resources: checked.resources, report: checked.report,
      projectID: "p", sender: NoSender())
    let snapshot = APIState.Snapshot(
      authenticator: Authenticator(clients: []), apps: [app], maxAgeMilliseconds: 86_400_000)
    intake = Intake(snapshot: snapshot, principal: .anonymous)
    func read(_ target: JSON, _ others: [JSON.Object.Member] = []) throws -> NotificationRequest {
      let args: JSON = ["name": "Bob", "count": 12_345]
      let members = [("template", "t"), ("to", target), ("args", args)] + others
      return try NotificationRequest(.object(.init(members)), now: .now)
    }
    let tokens = JSON.array(languages.map { .string("\(registration)\($0)") })
    let token: JSON = ["token": .string(registration)]
    requests = [
      .topic: try read(["topic": "news"]), .devices: try read(["tokens": tokens]), .device: try read(token),
      .deviceInChosenLanguage: try read(token, [("recipient", ["locale": "fr"])]),
    ]
    for request in requests.values { _ = try intake.accept(request, now: .now) }
  }

  func accepted(to readers: Readers, now: Timestamp) -> [NewNotification] {
    [requests[readers].flatMap { try? intake.accept($0, now: now).notification }].compactMap(\.self)
  }
}
