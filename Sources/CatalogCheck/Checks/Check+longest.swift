internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// The longest message of a template, with the texts that the gateway makes.
extension Check {
  /// The size of the longest message, and the language of its texts if the gateway makes them: for browsers,
  /// for old releases, and where the template wants it.
  func longestMessage(_ template: Template, _ texts: RecipientTexts) -> (bytes: Int, locale: String?) {
    var longest: (bytes: Int, locale: String?) = (template.longestMessageBytes, nil)
    let requests = template.longestRequests
    let bounds = TextBounds(template, requests, texts.resources)
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

  /// The platforms of recipients for whom the gateway makes the texts of a template; nil stands for all at
  /// once.
  private func textPlatforms(of template: Template) -> [Recipient.Platform?] {
    let web: [Recipient.Platform?] = template.activity == nil ? [.web] : []
    switch template.render ?? .auto {
    case .device: return web
    case .gateway: return web + [nil]
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

  init(_ template: Template, _ requests: [LongestRequest], _ resources: AppResources) {
    func bound(_ platform: AppPlatform) -> Int {
      let args = requests.flatMap { request in
        request.message.slots(on: platform, args: request.args).flatMap(\.args)
      }
      let argBytes = args.map(\.jsonEscapedByteCount).max() ?? 0
      let uses = template.keyUses.filter { $0.platform == platform }
      let slots = Dictionary(grouping: uses, by: \.slot)
      return slots.values.reduce(0) { sum, uses in
        let keys = Set((uses + uses.flatMap(\.lookedUp)).map { ExactText($0.text.key) })
        let longest = (resources[platform]?.tables ?? []).map { table in
          keys.reduce(0) { longest, key in
            let entries = ([table.entries[key]].compactMap(\.self) + (table.namesakes[key] ?? []))
            return max(longest, entries.map { $0.bound(argBytes: argBytes) }.max() ?? 0)
          }
        }
        return sum.addingClamped(longest.max() ?? 0).addingClamped(Self.memberBytes)
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

extension StringEntry {
  /// At least the size of the entry's text in a message, each of whose placeholders takes `argBytes`.
  fileprivate func bound(argBytes: Int) -> Int {
    switch value {
    case .string(let text): text.bound(argBytes: argBytes)
    // The form of a number can stand inside a text of its own.
    case .plural(let forms):
      forms.reduce((formatKey ?? "").bound(argBytes: argBytes)) {
        $0.addingClamped($1.text.bound(argBytes: argBytes))
      }
    case .array: 0
    }
  }
}

extension String {
  /// A width of three digits or more could be any length, and a capital conversion triples a letter at most.
  fileprivate func bound(argBytes: Int) -> Int {
    var (percents, digits) = (0, 0)
    for byte in utf8 {
      if byte == UInt8(ascii: "%") { percents += 1 }
      digits = byte.isASCIIDigit ? digits + 1 : 0
      if digits > 2, percents > 0 { return .max }
    }
    let growth = utf8.contains(UInt8(ascii: "S")) ? 3 : 1
    let perArg = argBytes.multipliedReportingOverflow(by: growth)
    let args = perArg.partialValue.addingClamped(99).multipliedReportingOverflow(by: percents)
    guard !perArg.overflow, !args.overflow else { return .max }
    return jsonEscapedByteCount.addingClamped(args.partialValue)
  }
}

extension Int {
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
