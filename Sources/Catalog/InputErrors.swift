package import JSON

/// The mistakes in a request: a collection of the first ones, and how many there are. Only those that are
/// kept cost anything, so that a body full of mistakes is no more work than a body full of data.
package struct InputErrors: Sendable, Equatable, RandomAccessCollection, ExpressibleByArrayLiteral {
  /// Mistakes that an answer lists; fewer for parts of a batch that list fewer.
  @TaskLocal package static var keptMax = 100

  /// At most `keptMax`.
  private var kept: [InputError] = []
  package private(set) var total = 0

  /// No mistakes.
  package init() {}

  package init(arrayLiteral elements: InputError...) { append(contentsOf: elements, total: elements.count) }

  package var startIndex: Int { kept.startIndex }
  package var endIndex: Int { kept.endIndex }
  package subscript(position: Int) -> InputError { kept[position] }

  package mutating func append(_ error: @autoclosure () -> InputError) {
    total += 1
    if kept.count < Self.keptMax { kept.append(error()) }
  }

  package static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum += right
    return sum
  }

  package static func += (left: inout Self, right: Self) {
    left.append(contentsOf: right.kept, total: right.total)
  }

  /// All but those in the members of a field: where the field itself is a mistake, they are none.
  package func outside(_ field: String) -> Self {
    let members = JSONPointer.root.appending(field).description + "/"
    let others = kept.filter { !$0.pointer.description.hasPrefix(members) }
    var sum = Self()
    sum.append(contentsOf: others, total: total - (kept.count - others.count))
    return sum
  }

  /// The same mistakes in a part of a larger request.
  package func below(_ pointer: JSONPointer) -> Self {
    var moved = Self()
    let errors = kept.map { error in
      InputError(
        pointer: pointer.appending(pointer: error.pointer), code: error.code, detail: error.detail)
    }
    moved.append(contentsOf: errors, total: total)
    return moved
  }

  private mutating func append(contentsOf errors: [InputError], total count: Int) {
    total += count
    kept += errors.prefix(Swift.max(0, Self.keptMax - kept.count))
  }
}
