internal import AppStrings
internal import Catalog
internal import JSON

/// The params of a template that is drafted from messages, with their values in each of them.
struct MessageParams {
  enum ParamType: String { case string, integer, number, boolean }

  private struct Param {
    let name: String
    let type: ParamType
    let values: [JSON]
  }

  private var params: [Param] = []

  private static let lengthMax = 100

  /// The args of a message, as a request for the template has them.
  func args(_ index: Int) -> JSON.Object {
    JSON.Object(
      params.compactMap { param in
        param.values.indices.contains(index) ? (param.name, param.values[index]) : nil
      })
  }

  /// `name: {type: …}` for each.
  var lines: [String] {
    params.map { param in
      guard param.type == .string else { return "\(param.name): {type: \(param.type.rawValue)}" }
      let longest = param.values.compactMap { $0.string?.unicodeScalars.count }.max() ?? 0
      return "\(param.name): {type: string, max_length: \(max(Self.lengthMax, longest))}"
    }
  }

  /// The param that stands for these values, which differ between the messages: one that has the same values
  /// already, otherwise a new one.
  mutating func param(_ values: [JSON], named wanted: String, _ type: ParamType) -> String {
    let known = params.first {
      $0.type == type && $0.values == values && (values.hasSeveral || $0.name == wanted)
    }
    if let known { return known.name }
    var name = wanted
    var number = 2
    while params.contains(where: { $0.name == name }) {
      name = "\(wanted)_\(number)"
      number += 1
    }
    params.append(Param(name: name, type: type, values: values))
    return name
  }

  /// The param of a field.
  mutating func param(_ values: [JSON], field: String, type stated: String? = nil) -> String {
    let type: ParamType =
      if let stated = stated.flatMap(ParamType.init) {
        stated
      } else if values.allSatisfy({ $0.string != nil }) {
        .string
      } else if values.allSatisfy({ $0.bool != nil }) {
        .boolean
      } else {
        values.allSatisfy { $0.int64 != nil } ? .integer : .number
      }
    // An arg with the same texts may be a number.
    if type == .string, values.hasSeveral,
      let arg = params.first(where: {
        $0.type == .integer && $0.values.map(\.argText) == values.map(\.string)
      })
    {
      return arg.name
    }
    return param(values, named: ParamName.named(field) ?? "value", type)
  }

  /// The param of an arg of a text. `source` is the text, if it is known.
  mutating func param(
    arg index: Int, of slot: TextSlot.Name, _ texts: [String], source: FirstCatalog.Text?, isNumber: Bool
  ) -> String {
    let hint = source?.hint(index).flatMap { ParamName.named($0.name) }
    let name =
      hint ?? source.flatMap { ParamName.guess(index, in: $0.format, number: isNumber ? index : $0.number) }
      ?? "\(slot.rawValue)_\(index + 1)"
    let numbers = texts.map { text in Int64(text).flatMap { String($0) == text ? JSON($0) : nil } }
    let placeholders = source?.format.placeholders.filter { $0.argument == index } ?? []
    let isInteger =
      isNumber || source?.number == index
      || placeholders.contains { $0.conversion == .number } && placeholders.allSatisfy(\.isInteger)
    if isInteger, !numbers.contains(nil) {
      return param(numbers.compactMap(\.self), named: name, .integer)
    }
    return param(texts.map(JSON.string), named: name, .string)
  }
}

extension [JSON] {
  fileprivate var hasSeveral: Bool { contains { $0 != first } }
}

extension JSON {
  fileprivate var argText: String? { int64.map { String($0) } }
}
