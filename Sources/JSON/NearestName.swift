/// The known name that a mistyped one most likely means: the one with the fewest edits (insert, delete,
/// replace, swap neighbours), ignoring case, `_` and `-`, and at most a third of the name's length. O(names ×
/// length²).
package func nearestName(to name: String, among known: some Sequence<String>) -> String? {
  let wanted = folded(name)
  guard wanted.count <= 64 else { return nil }
  let editsMax = max(1, wanted.count / 3)
  var best: (name: String, edits: Int)?
  for candidate in known {
    let other = folded(candidate)
    guard abs(other.count - wanted.count) <= editsMax else { continue }
    let edits = editDistance(wanted, other)
    // If every character has to change, it is not a misspelling.
    guard edits <= editsMax, edits < max(wanted.count, other.count) else { continue }
    if edits < best?.edits ?? .max { best = (candidate, edits) }
  }
  return best?.name
}

private func folded(_ name: String) -> [UInt8] {
  name.utf8.compactMap { byte in
    switch byte {
    case UInt8(ascii: "_"), UInt8(ascii: "-"): nil
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    default: byte
    }
  }
}

/// Optimal string alignment distance.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
  var rows = [[Int]](repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
  for row in 0...left.count { rows[row][0] = row }
  for column in 0...right.count { rows[0][column] = column }
  for row in 1...left.count {
    for column in 1...right.count {
      let cost = left[row - 1] == right[column - 1] ? 0 : 1
      var edits = min(
        rows[row - 1][column] + 1, rows[row][column - 1] + 1, rows[row - 1][column - 1] + cost)
      if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
        edits = min(edits, rows[row - 2][column - 2] + 1)
      }
      rows[row][column] = edits
    }
  }
  return rows[left.count][right.count]
}
