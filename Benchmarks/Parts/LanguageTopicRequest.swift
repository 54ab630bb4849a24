import CatalogCheck
import Clock
import Foundation
import JSON
import Outbox

@testable import API
@testable import Gateway

/// A request to a topic by language and one to as many devices, for an app in 40 languages.
struct LanguageTopicRequest {
  let languages = [
    "af", "am", "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "gu",
    "hi",
    "hr", "hu", "hy", "is", "it", "ja", "ka", "kk", "km", "ko", "lt", "lv", "nb", "nl", "pl", "pt-BR", "ro",
    "ru", "sv", "th", "uk", "vi",
  ]
  private let intake: Intake
  private let request: (topic: NotificationRequest, devices: NotificationRequest)

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
    func read(_ target: JSON) throws -> NotificationRequest {
      let args: JSON = ["name": "Bob", "count": 12_345]
      return try NotificationRequest(["template": "t", "to": target, "args": args], now: .now)
    }
    let tokens = JSON.array(languages.map { .string("\(registration)\($0)") })
    request = (try read(["topic": "news"]), try read(["tokens": tokens]))
    _ = try intake.accept(request.topic, now: .now)
  }

  func accepted(toTopic: Bool, now: Timestamp) -> [NewNotification] {
    let accepted = try? intake.accept(toTopic ? request.topic : request.devices, now: now)
    return [accepted?.notification].compactMap(\.self)
  }
}
