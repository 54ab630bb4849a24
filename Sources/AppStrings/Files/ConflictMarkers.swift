/// The markers that a version control system leaves in a file whose changes it could not merge.
enum ConflictMarkers {
  /// The line of the first one, from 1; nil if there is none.
  static func line(in bytes: [UInt8]) -> Int? {
    var line = 1
    for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let rest = part.drop { $0 == UInt8(ascii: "<") }
      let next = rest.first ?? UInt8(ascii: " ")
      if part.count - rest.count == 7, next == UInt8(ascii: " ") || next == UInt8(ascii: "\r") { return line }
      line += 1
    }
    return nil
  }
}
