internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// What readers get of a template whose texts the gateway makes: by the code that writes them.
struct GatewayFaults {
  private struct Place: Hashable {
    let platform: AppPlatform
    let slot: TextSlot.Name
    let key: ExactText
  }

  private var faults: [Place: [ReaderFault]] = [:]

  /// Nil if phones make them.
  init?(
    _ template: Template, _ situations: TemplateSituations, _ texts: RecipientTexts, _ keys: inout KeyChecks
  ) {
    guard template.isRenderedByGateway else { return nil }
    for (platform, contents) in situations.contents {
      guard let readers = keys.readers(on: platform) else { continue }
      for content in contents {
        faults[Place(platform: platform, slot: content.name, key: ExactText(content.key))] =
          readers.all.indices.compactMap { index in
            let locale = readers.all[index].locale.locale
            let written = texts.written([content], of: template, on: platform, [locale])
            let shown = texts.shown([content], as: written, of: template, on: platform, [locale])
            return shown.first.flatMap { readers.fault($0, of: index, $0.table) }
          }
      }
    }
  }

  /// Nil if no request leads to the key.
  func faults(of use: KeyUse) -> [ReaderFault]? {
    faults[Place(platform: use.platform, slot: use.slot, key: ExactText(use.text.key))] ?? []
  }
}

extension Readers {
  /// What is wrong for each reader where phones look up the key. The args do not matter.
  func faults(of use: KeyUse) -> [ReaderFault] {
    let text = SlotText(
      literal: use.hasFallback ? Self.anyText : nil, key: use.text.key,
      args: Array(repeating: Self.anyText, count: use.text.args.count))
    return faults(of: text, in: use.slot)
  }

  private static let anyText = "Text"
}
