internal import Catalog
internal import HTTPServer
internal import JSON

/// Reads a request's query parameters by name, and collects every mistake. An empty one counts as absent.
struct QueryReader {
  /// The number of notifications or events in a page.
  static let pageMax = 1000
  static let pageDefault = 50

  /// No request takes half as many.
  private static let parametersMax = 50

  private let items: [(name: String, value: String)]
  private var known: [String] = []
  private(set) var errors: InputErrors = []

  init(_ head: HTTPRequestHead) throws(APIError) {
    let separators = head.query?.utf8.count { $0 == UInt8(ascii: "&") } ?? 0
    guard separators < Self.parametersMax else {
      throw APIError(.badRequest, "The query has more than \(Self.parametersMax) parameters.")
    }
    guard let items = head.queryItems() else {
      throw APIError(.badRequest, "The query is not percent-encoded UTF-8.")
    }
    self.items = items
  }

  /// The parameter's text. More than one value is a mistake, since it is unclear which one is meant.
  mutating func text(_ name: String) -> String? {
    known.append(name)
    let values = items.filter { $0.name.hasSameBytes(as: name) }.map(\.value)
    if values.count > 1 { report(name, .invalid, "It occurs \(values.count) times; send it once.") }
    return values.first.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A whole number in `range`; nil if it is absent or invalid.
  mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
    guard let text = text(name) else { return nil }
    let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isPlain, let value = Int(text), range.contains(value) else {
      let detail = "A whole number from \(range.lowerBound) to \(range.upperBound) is expected."
      report(name, isPlain ? .outOfRange : .invalid, detail)
      return nil
    }
    return value
  }

  /// The maximum number of notifications or events in a page.
  mutating func pageLimit() -> Int { integer("limit", in: 1...Self.pageMax) ?? Self.pageDefault }

  mutating func report(_ name: String, _ code: InputError.Code, _ detail: @autoclosure () -> String) {
    errors.append(InputError(pointer: .root.appending(name), code: code, detail: detail()))
  }

  /// All mistakes, including every parameter that has not been read.
  var mistakes: InputErrors {
    var errors = errors
    for item in items where !known.contains(where: { $0.hasSameBytes(as: item.name) }) {
      let names = known.joined(separator: ", ")
      errors.append(
        InputError(
          pointer: .root.appending(item.name), code: .unknown,
          detail: known.isEmpty
            ? "This request takes no parameters." : "No such parameter; the parameters are: \(names)."))
    }
    return errors
  }

  /// Throws all mistakes, once everything has been read.
  func finish() throws(APIError) {
    let mistakes = mistakes
    guard mistakes.isEmpty else { throw .invalid(mistakes) }
  }
}
