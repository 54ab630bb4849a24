internal import AppStrings
internal import Catalog
internal import JSON

/// The params of one template of a first catalog.
struct DraftParams {
  private enum DraftType { case integer, number, string }

  private var types: [(name: String, type: DraftType, example: String?)] = []

  private static let lengthMax = 100

  /// `name: {type: …, example: …}` for each.
  var lines: [String] {
    types.map { name, type, example in
      switch type {
      case .integer: "\(name): {type: integer, example: \(example.flatMap { Int32($0) } ?? 3)}"
      case .number: "\(name): {type: number, example: \(Self.number(example) ?? "12.5")}"
      case .string:
        "\(name): {type: string, max_length: \(Self.lengthMax), example: "
          + "\(FirstCatalog.scalar(Self.text(example) ?? Param.typicalText(of: name)))}"
      }
    }
  }

  /// A number as YAML's core schema reads it.
  private static func number(_ example: String?) -> String? {
    guard let example, let number = (try? JSON.parse(example))?.number, number.lexeme.utf8.count <= 20 else {
      return nil
    }
    return number.lexeme
  }

  private static func text(_ example: String?) -> String? {
    example.flatMap { $0.isEmpty || $0.unicodeScalars.count > lengthMax ? nil : $0 }
  }

  /// Adds the params of a slot's texts and returns their names in order. A name that another slot has with
  /// the same type is the same param.
  mutating func add(_ texts: [FirstCatalog.Text], slot: TextSlot.Name) -> [String] {
    let count = texts.map(\.argumentCount).max() ?? 0
    var names: [String] = []
    for index in 0..<count {
      let placeholders = texts.flatMap(\.format.placeholders).filter { $0.argument == index }
      let numbers = placeholders.filter { $0.conversion == .number }
      let isInteger =
        texts.first?.number == index || !numbers.isEmpty && numbers.allSatisfy(\.isInteger)
      let type: DraftType = isInteger ? .integer : numbers.isEmpty ? .string : .number
      let hints = texts.compactMap { $0.hint(index) }
      let guess =
        hints.lazy.compactMap { ParamName.named($0.name) }.first
        ?? texts.lazy.compactMap { ParamName.guess(index, in: $0.format, number: $0.number) }.first
      let name = free(guess ?? "\(slot.rawValue)_\(index + 1)", type, besides: names)
      if !types.contains(where: { $0.name == name }) {
        types.append((name, type, hints.lazy.compactMap(\.example).first))
      }
      names.append(name)
    }
    return names
  }

  /// The name, with a number if the slot has it already, or another slot with another type.
  private func free(_ wanted: String, _ type: DraftType, besides taken: [String]) -> String {
    var name = wanted
    var number = 2
    while taken.contains(name) || types.contains(where: { $0.name == name && $0.type != type }) {
      name = "\(wanted)_\(number)"
      number += 1
    }
    return name
  }
}
