internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// The longest message of a template, with the texts that the gateway makes.
extension Check {
  /// The size of the longest message, and the language of its texts if the gateway makes them: for browsers,
  /// for old releases, for topics by language, and where the template wants it.
  func longestMessage(
    _ template: Template, _ texts: RecipientTexts, _ keys: inout KeyBounds
  ) -> (bytes: Int, locale: String?) {
    var longest: (bytes: Int, locale: String?) = (template.longestMessageBytes, nil)
    let requests = template.longestRequests
    let bounds = TextBounds(template, requests, &keys)
    let platforms = textPlatforms(of: template).filter { platform in
      // Most messages are far from the limit in any language, and writing them in each takes time.
      requests.contains { bounds.bytes($0, for: platform) > SealedMessage.byteCountMax }
    }
    guard !platforms.isEmpty else { return longest }
    let locales = Set(
      AppPlatform.allCases.compactMap { texts.resources[$0] }.flatMap {
        $0.previewLocales(developmentLanguage: texts.resources.developmentLanguage)
      })
    for request in requests {
      for locale in locales.sorted() {
        for platform in platforms {
          let recipient = Recipient(platform: platform, locales: [locale])
          // A request whose texts cannot be made is refused, whatever its size.
          guard
            let content = try? texts.content(
              of: request.message, for: recipient, render: .gateway, args: request.args)
          else { continue }
          let bytes = request.byteCount(content)
          if bytes > longest.bytes { longest = (bytes, locale) }
        }
      }
    }
    return longest
  }

  /// The platforms of recipients for whom the gateway renders the texts of a template; nil stands for all at
  /// once.
  private func textPlatforms(of template: Template) -> [Recipient.Platform?] {
    let web: [Recipient.Platform?] = template.activity == nil ? [.web] : []
    let isForTopics = !catalog.topics.isEmpty && template.activity == nil
    if template.isRenderedByGateway || isForTopics { return web + [nil] }
    switch template.render ?? .auto {
    case .device, .gateway: return web
    case .auto:
      let old: [Recipient.Platform?] = [
        releases[.android].isEmpty || template.activity != nil ? nil : .android,
        releases[.ios].isEmpty ? nil : .ios,
      ].filter { $0 != nil }
      return web + old
    }
  }
}

/// How long a template's texts can be in any language, without writing them.
private struct TextBounds {
  /// A slot's member, quotes and comma included, and a browser's part around it.
  private static let memberBytes = 100

  private let android: Int
  private let ios: Int

  init(_ template: Template, _ requests: [LongestRequest], _ known: inout KeyBounds) {
    func bound(_ platform: AppPlatform) -> Int {
      let args = requests.flatMap { request in
        request.message.slots(request.message.slots(on: platform), with: request.args).flatMap(\.args)
      }
      let argBytes = args.map(\.jsonEscapedByteCount).max() ?? 0
      let uses = template.keyUses.filter { $0.platform == platform }
      let slots = Dictionary(grouping: uses, by: \.slot)
      return slots.values.reduce(0) { sum, uses in
        let keys = Set((uses + uses.flatMap(\.lookedUp)).map { ExactText($0.text.key) })
        let longest = keys.map { known.bound(of: $0, on: platform).bytes(argBytes: argBytes) }.max() ?? 0
        return sum.addingClamped(longest).addingClamped(Self.memberBytes)
      }
    }
    let fallback = template.fallback
    let fallbackBytes = [fallback?.title, fallback?.subtitle, fallback?.body].compactMap(\.self)
      .reduce(0) { $0 + $1.jsonEscapedByteCount + Self.memberBytes }
    android = bound(.android).addingClamped(fallbackBytes)
    ios = bound(.ios).addingClamped(fallbackBytes)
  }

  /// At least the size of the message with literals for a platform; nil stands for all.
  func bytes(_ request: LongestRequest, for platform: Recipient.Platform?) -> Int {
    var content = MessageContent(platform: platform)
    (content.androidArgs, content.iosArgs) = (request.args, request.args)
    let keys = request.byteCount(content)
    switch platform {
    case .android: return keys.addingClamped(android)
    case .ios: return keys.addingClamped(ios)
    case .web: return keys.addingClamped(max(android, ios))
    case nil: return keys.addingClamped(android).addingClamped(ios).addingClamped(max(android, ios))
    }
  }
}

/// How long the texts of keys can be in any language. Each key is looked up once for all templates.
struct KeyBounds {
  private let resources: AppResources
  private var known: [AppPlatform: [ExactText: TextBound]] = [:]

  init(_ resources: AppResources) { self.resources = resources }

  fileprivate mutating func bound(of key: ExactText, on platform: AppPlatform) -> TextBound {
    if let bound = known[platform]?[key] { return bound }
    var bound = TextBound()
    for table in resources[platform]?.tables ?? [] {
      if let entry = table.entries[key] { bound.cover(entry) }
      for entry in table.namesakes[key] ?? [] { bound.cover(entry) }
      for entry in table.alternatives(of: key.text) { bound.cover(entry) }
    }
    known[platform, default: [:]][key] = bound
    return bound
  }
}

/// What limits the size of texts in a message.
private struct TextBound {
  /// Of the text without its args.
  private var bytes = 0
  private var percents = 0
  /// How much longer an arg can become: a capital conversion triples a letter at most.
  private var growth = 1
  /// Whether a width of three digits or more lets the text have any length.
  private var isUnlimited = false

  /// At least the size of the text, each of whose placeholders takes `argBytes`.
  func bytes(argBytes: Int) -> Int {
    let perArg = argBytes.multipliedReportingOverflow(by: growth)
    let args = perArg.partialValue.addingClamped(99).multipliedReportingOverflow(by: percents)
    guard !isUnlimited, !perArg.overflow, !args.overflow else { return .max }
    return bytes.addingClamped(args.partialValue)
  }

  /// Becomes the bound of the entry's texts too.
  mutating func cover(_ entry: StringEntry) {
    var other = TextBound()
    switch entry.value {
    case .string(let text): other.add(text)
    // The form of a number can stand inside a text of its own.
    case .plural(let forms):
      other.add(entry.formatKey ?? "")
      for form in forms { other.add(form.text) }
    case .array: break
    }
    (bytes, percents) = (max(bytes, other.bytes), max(percents, other.percents))
    (growth, isUnlimited) = (max(growth, other.growth), isUnlimited || other.isUnlimited)
  }

  private mutating func add(_ text: String) {
    var (text, digits) = (text, 0)
    bytes = bytes.addingClamped(text.jsonEscapedByteCount)
    text.withUTF8 { utf8 in
      for byte in utf8 {
        if byte == UInt8(ascii: "%") { percents += 1 }
        if byte == UInt8(ascii: "S") { growth = 3 }
        digits = byte.isASCIIDigit ? digits + 1 : 0
        if digits > 2, percents > 0 { isUnlimited = true }
      }
    }
  }
}

extension Int {
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
