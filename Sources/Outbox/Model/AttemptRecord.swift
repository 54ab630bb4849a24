package import Clock
import JSON

/// One attempt of a delivery, in its log.
package struct AttemptRecord: Sendable, Equatable {
  /// How many of a delivery are kept, the last ones.
  package static let keptMax = 5

  /// When it began.
  package let at: Timestamp
  package let milliseconds: Int64
  /// How far it came, and who ended it, by their names in the API.
  package let phase: String
  package let peer: String
  package let httpStatus: Int?
  /// The code of its error; nil if FCM accepted the message.
  package let code: String?
  /// The error for people. Holds no control characters.
  package let detail: String?
  /// Whether it is in the number of attempts.
  package let isCounted: Bool

  package init(
    at: Timestamp, milliseconds: Int64, phase: String, peer: String, httpStatus: Int?, code: String?,
    detail: String?, isCounted: Bool
  ) {
    self.at = at
    self.milliseconds = milliseconds
    self.phase = phase
    self.peer = peer
    self.httpStatus = httpStatus
    self.code = code
    self.detail = detail
    self.isCounted = isCounted
  }
}

/// How a delivery's row holds its log: records that end with a separator, the oldest first. A settlement
/// appends one and cuts the log from the front, perhaps within a record.
extension AttemptRecord {
  private static let fieldEnd: Unicode.Scalar = "\u{1F}"
  private static let recordEnd: Unicode.Scalar = "\u{1E}"
  private static let fieldCount = 8
  /// More than the records that are kept can have together.
  private static let logCharactersMax = 3_500

  var stored: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64 + (detail?.utf8.count ?? 0))
    func append(_ text: String?, _ end: Unicode.Scalar = Self.fieldEnd) {
      bytes.append(contentsOf: (text ?? "").utf8)
      bytes.append(UInt8(ascii: end))
    }
    func append(_ number: Int?) {
      if let number { bytes.append(decimal: number) }
      append(nil as String?)
    }
    append(Int(at.milliseconds))
    append(Int(milliseconds))
    append(phase)
    append(peer)
    append(httpStatus)
    append(code)
    append(isCounted ? "1" : "0")
    append(detail, Self.recordEnd)
    return bytes
  }

  /// The records of a log that are whole, at most `keptMax`.
  static func all(stored: String) -> [AttemptRecord] {
    stored.split(separator: Character(recordEnd)).compactMap { AttemptRecord(stored: $0) }.suffix(keptMax)
  }

  private init?(stored: Substring) {
    let fields = stored.split(separator: Character(Self.fieldEnd), omittingEmptySubsequences: false)
      .map(String.init)
    // A time that was cut has fewer digits.
    guard fields.count == Self.fieldCount, fields[0].utf8.count >= 13, let at = Int64(fields[0]),
      let milliseconds = Int64(fields[1])
    else { return nil }
    self.init(
      at: Timestamp(milliseconds: at), milliseconds: milliseconds, phase: fields[2], peer: fields[3],
      httpStatus: Int(fields[4]), code: fields[5].isEmpty ? nil : fields[5],
      detail: fields[7].isEmpty ? nil : fields[7], isCounted: fields[6] == "1")
  }

  /// In SQL: the assignment that appends `value` to the log of the row whose name is `row`, with a period.
  static func appending(_ value: String, to row: String = "") -> String {
    let log = "coalesce(\(row)attempt_log, '')"
    return """
      attempt_log = CASE WHEN \(value) IS NULL THEN \(row)attempt_log
        WHEN length(\(log)) > \(logCharactersMax)
          THEN substr(\(log), length(\(log)) - \(logCharactersMax)) || \(value)
        ELSE \(log) || \(value) END
      """
  }
}
