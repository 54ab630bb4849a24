package import AppStrings
internal import Catalog
package import FCMMessage
package import JSON

/// A first catalog made from messages that were sent: one template for each kind of message, that is for the
/// same keys and fields. A field whose value differs between the messages becomes a param.
package struct MessageCatalog: Sendable {
  package let yaml: String
  package let templateCount: Int
  /// Messages to Live Activities, of which no template is made.
  package let leftOutCount: Int
  /// For each message, in order: the request that sends the same; nil for one that was left out.
  package let requests: [(template: String, args: JSON.Object)?]

  /// `messages` are FCM's `Message`s, or what `MessageShape` made of them. The apps' strings name the params.
  /// `origin` says where the catalog will be, and `locations` what it names where a path is not enough.
  package init(
    _ messages: [JSON], android: StringResources?, ios: StringResources?,
    movedFrom origin: CatalogPlace? = nil, locations: [AppPlatform: ResourceLocation] = [:]
  ) {
    var kinds: [MessageKind] = []
    var indices: [JSONText: Int] = [:]
    var leftOut = 0
    for (index, message) in messages.enumerated() {
      guard let parts = MessageParts(shape: message) ?? MessageParts(message) else {
        leftOut += 1
        continue
      }
      let identity = JSONText(MessageKind.identity(of: parts))
      let kind = indices[identity] ?? kinds.count
      if kind == kinds.count { kinds.append(MessageKind()) }
      indices[identity] = kind
      kinds[kind].members.append((index, parts))
    }
    let sources = TextSources(android: android, ios: ios)
    var names: Set<String> = []
    var requests: [(template: String, args: JSON.Object)?] = Array(repeating: nil, count: messages.count)
    var lines = Self.head(
      messages.count - leftOut, FirstCatalog.places([android, ios], locations, origin),
      language: FirstCatalog.sourceLanguage(of: ios))
    for kind in MessageKind.joiningNumbers(kinds) {
      let draft = kind.draft(named: Self.free(kind.name, &names), sources)
      lines += draft.lines
      for (index, args) in draft.args { requests[index] = (draft.name, args) }
    }
    yaml = lines.joined(separator: "\n") + "\n"
    (templateCount, leftOutCount, self.requests) = (names.count, leftOut, requests)
  }

  private static func head(
    _ count: Int, _ places: [(String, String)], language: String?
  ) -> [String] {
    var lines = [
      "# A first catalog, made by `dragoman init` from \(count) \(count == 1 ? "message" : "messages"). Correct what it guessed: the names of "
        + "templates",
      "# and params. `dragoman check` then finds what is wrong with the texts.",
      "version: 1",
    ]
    let folders = places.map { "\($0): \($1)" }
    let languages = language.map { ["development_language: \(FirstCatalog.scalar($0))"] } ?? []
    if !folders.isEmpty { lines.append("resources: {\((folders + languages).joined(separator: ", "))}") }
    return lines + ["templates:"]
  }

  private static func free(_ wanted: String, _ names: inout Set<String>) -> String {
    var name = wanted
    var number = 2
    while !names.insert(name).inserted {
      name = "\(wanted)_\(number)"
      number += 1
    }
    return name
  }

  private typealias JSONText = [UInt8]
}

/// The texts of the apps in the language that they are written in.
struct TextSources {
  private let texts: [AppPlatform: [ExactText: FirstCatalog.Text]]

  init(android: StringResources?, ios: StringResources?) {
    var texts: [AppPlatform: [ExactText: FirstCatalog.Text]] = [:]
    for resources in [android, ios].compactMap(\.self) {
      let entries = FirstCatalog.source(of: resources)?.entries.values.map { $0 } ?? []
      texts[resources.platform] = Dictionary(
        entries.compactMap { entry in
          FirstCatalog.text(of: entry, on: resources.platform).map { (ExactText(entry.key), $0) }
        }, uniquingKeysWith: { first, _ in first })
    }
    self.texts = texts
  }

  subscript(key: String, platform: AppPlatform) -> FirstCatalog.Text? { texts[platform]?[ExactText(key)] }
}
