/// The candidate that a misspelt name most likely means: the fewest single-character edits away, and few enough
/// for the name's length; nil where none is near.
func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
  let lengthMax = 64
  let letters = Array(name.lowercased().utf8.prefix(lengthMax))
  var best: (name: String, distance: Int)?
  for candidate in candidates {
    let distance = editDistance(letters, Array(candidate.lowercased().utf8))
    if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
  }
  guard let best, best.distance <= max(1, letters.count / 3) else { return nil }
  return best.name
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other
/// (optimal string alignment). O(a·b).
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in 0..<a.count {
    var row = [i + 1]
    row.reserveCapacity(b.count + 1)
    for j in 0..<b.count {
      var distance = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { distance = min(distance, beforeLast[j - 1] + 1) }
      row.append(distance)
    }
    beforeLast = last
    last = row
  }
  return last[b.count]
}
