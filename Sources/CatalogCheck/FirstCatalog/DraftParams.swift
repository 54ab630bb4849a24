internal import AppStrings
internal import Catalog

/// The params of one template of a first catalog.
struct DraftParams {
  private var types: [(name: String, type: String)] = []

  /// `name: {type: …}` for each.
  var lines: [String] { types.map { "\($0.name): \($0.type)" } }

  /// Adds the params of a slot's texts and returns their names in order. A name that another slot has with
  /// the same type is the same param.
  mutating func add(_ texts: [FirstCatalog.Text], slot: TextSlot.Name) -> [String] {
    let count = texts.map(\.argumentCount).max() ?? 0
    var names: [String] = []
    for index in 0..<count {
      let placeholders = texts.flatMap(\.format.placeholders).filter { $0.argument == index }
      let isNumber = placeholders.contains { $0.conversion == .number }
      let type =
        texts.first?.number == index
        ? "{type: integer}" : isNumber ? "{type: number}" : "{type: string, max_length: 100}"
      let guess = texts.lazy.compactMap { ParamName.guess(index, in: $0.format, number: $0.number) }.first
      let name = free(guess ?? "\(slot.rawValue)_\(index + 1)", type, besides: names)
      if !types.contains(where: { $0.name == name }) { types.append((name, type)) }
      names.append(name)
    }
    return names
  }

  /// The name, with a number if the slot has it already, or another slot with another type.
  private func free(_ wanted: String, _ type: String, besides taken: [String]) -> String {
    var name = wanted
    var number = 2
    while taken.contains(name) || types.contains(where: { $0.name == name && $0.type != type }) {
      name = "\(wanted)_\(number)"
      number += 1
    }
    return name
  }
}
