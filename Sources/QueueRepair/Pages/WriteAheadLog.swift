import JSON
import SQL

/// The pages in a database's write-ahead log (SQLite, "Database File Format", §4).
///
/// Each frame's checksum continues the one before, so that a wrong frame neither hides the next ones nor
/// makes them doubtful. A single changed bit is found and corrected, but for some of the higher bits of a
/// word, where several would explain a checksum: then the page itself has to show which. As in
/// `LogInspection`, wrong frames at the end with fewer than two whole transactions behind them are what a
/// crash has torn, and no damage.
struct WriteAheadLog {
  struct Frame {
    /// From 1 on.
    let number: Int
    let page: Int
    /// The database's length in pages, in the last frame of a transaction; otherwise 0.
    let commit: Int
    /// Whether its checksum fits, or fits after the correction.
    let isVerified: Bool
    /// Whether no more than one bit of it is wrong, which no crash leaves.
    let isWhole: Bool
    /// The bit to change, as a place among the frame's checked bytes.
    var correction: FlippedBit?
  }

  static let headerBytes = 32
  private static let frameHeaderBytes = 24

  let bytes: any StoredBytes
  private(set) var pageBytes: Int
  /// The newest frame of each page, as of the last transaction.
  private(set) var frames: [Int: Frame] = [:]
  /// What the pages were before frames that could not be verified.
  private(set) var older: [Frame] = []
  /// The length of the database after the last transaction; nil without any.
  private(set) var pageCount: Int?
  private(set) var damage: [QueueDamage] = []
  private let isSound: ([UInt8]) -> Bool
  private var isBigEndian = false
  private var salts: ArraySlice<UInt8> = []

  /// Reads a log. `fallback` is its page size if its header is lost, and `isSound` returns whether a page
  /// shows by itself that no bit of it is flipped.
  init(_ bytes: any StoredBytes, pageBytes fallback: Int, isSound: @escaping ([UInt8]) -> Bool) {
    self.bytes = bytes
    self.isSound = isSound
    pageBytes = fallback
    do throws(FileReadError) {
      let header = try bytes.read(Self.headerBytes, at: 0)
      let (sums, problem) = header.count == Self.headerBytes ? open(header, fallback) : (nil, nil)
      scan(sums, headerProblem: problem)
    } catch {
      damage.append(QueueDamage("the log's header: \(error.reason)", isUnread: true))
      scan(nil, headerProblem: nil)
    }
  }

  /// Takes over what a header says; returns the sums that the first frame continues.
  private mutating func open(_ header: [UInt8], _ fallback: Int) -> (LogChecksum?, QueueDamage?) {
    let flipped = QueueDamage("a bit of the log's header is flipped; it was corrected")
    let stored = LogChecksum(storedIn: header, at: 24)
    // The flipped bit may be the one that tells the order of bytes.
    for isBigEndian in [header[3] & 1 == 1, header[3] & 1 == 0] {
      self.isBigEndian = isBigEndian
      take(header, fallback)
      let computed = sums(of: Array(header[..<24]), after: LogChecksum())
      if computed == stored, isHeader(header) { return (stored, nil) }
      if follows(computed, 0) { return (computed, flipped) }
      for bit in FlippedBit.all(in: Array(header[..<24]), computed, stored, isBigEndian) {
        var corrected = header
        corrected[bit.byte] ^= bit.mask
        let salts = (try? bytes.read(8, at: Self.headerBytes + 8)) ?? []
        guard isHeader(corrected), corrected[16..<24].starts(with: salts) else { continue }
        take(corrected, fallback)
        return (stored, flipped)
      }
      if computed.differsByOneBit(from: stored) { return (computed, flipped) }
    }
    (isBigEndian, salts, pageBytes) = (header[3] & 1 == 1, [], fallback)
    return (nil, QueueDamage("the log's header is damaged"))
  }

  private func isHeader(_ header: [UInt8]) -> Bool {
    header.number32(at: 0) == 0x377F_0682 + (isBigEndian ? 1 : 0) && header.number32(at: 4) == 3_007_000
      && DatabaseHeader.isPageSize(header.number32(at: 8))
  }

  private mutating func take(_ header: [UInt8], _ fallback: Int) {
    let size = header.number32(at: 8)
    pageBytes = DatabaseHeader.isPageSize(size) ? size : fallback
    salts = header[16..<24]
  }

  private mutating func scan(_ start: LogChecksum?, headerProblem: QueueDamage?) {
    var sums = start
    var isContinuous = start != nil
    // Frames up to here count, which ends with a transaction.
    var (all, accepted): ([Frame], Int) = ([], 0)
    var problems: [(frame: Int, damage: QueueDamage)] = []
    if let headerProblem { problems.append((0, headerProblem)) }
    var isBroken = start == nil
    var commits = 0
    for number in 1...max(1, (bytes.count - Self.headerBytes) / frameBytes + 1) {
      let bytes: [UInt8]
      do throws(FileReadError) {
        bytes = try read(number)
      } catch {
        damage.append(QueueDamage(error.reason, frame: number, isLoss: true, isUnread: true))
        (sums, isContinuous, isBroken, commits) = (nil, false, true, 0)
        continue
      }
      guard bytes.count == frameBytes else { break }
      if salts.isEmpty { salts = bytes[8..<16] }
      let (frame, next, problem) = examine(bytes, number, after: sums, isContinuous)
      (sums, isContinuous) = (next, frame?.isWhole ?? false)
      if let problem { problems.append((number, problem)) }
      if let frame { all.append(frame) }
      guard let frame, frame.isWhole else {
        (isBroken, commits) = (true, 0)
        continue
      }
      guard frame.commit > 0 else { continue }
      commits += 1
      if isBroken, commits < 2 { continue }
      (accepted, isBroken) = (all.count, false)
    }
    let last = accepted > 0 ? all[accepted - 1] : nil
    damage += problems.filter { $0.frame <= last?.number ?? -1 }.map(\.damage)
    // The number in a frame that is not verified may be the wrong one.
    pageCount = last.map { last in max(last.commit, all[..<accepted].last { $0.isVerified }?.commit ?? 0) }
    for frame in all[..<accepted] {
      if !frame.isVerified, let known = frames[frame.page] { older.append(known) }
      frames[frame.page] = frame
    }
  }

  private var frameBytes: Int { Self.frameHeaderBytes + pageBytes }

  private func read(_ number: Int) throws(FileReadError) -> [UInt8] {
    try bytes.read(frameBytes, at: Self.headerBytes + (number - 1) * frameBytes)
  }

  /// The bytes of a frame that its checksum covers.
  private func covered(_ bytes: [UInt8]) -> [UInt8] { Array(bytes[..<8] + bytes[Self.frameHeaderBytes...]) }

  /// What a frame is worth, and the sums that the next one continues. Nil for a frame of an earlier log, and
  /// for one whose page is not known.
  private func examine(
    _ bytes: [UInt8], _ number: Int, after sums: LogChecksum?, _ isContinuous: Bool
  ) -> (Frame?, next: LogChecksum, QueueDamage?) {
    let stored = LogChecksum(storedIn: bytes, at: 16)
    let hasSalts = bytes[8..<16].elementsEqual(salts)
    var checked = covered(bytes)
    func frame(isVerified: Bool, isWhole: Bool = true, _ correction: FlippedBit? = nil) -> Frame? {
      let (page, commit) = (checked.number32(at: 0), checked.number32(at: 4))
      guard page > 0 else { return nil }
      return Frame(
        number: number, page: page, commit: commit, isVerified: isVerified, isWhole: isWhole,
        correction: correction)
    }
    guard hasSalts || isContinuous else {
      return (
        nil, stored,
        QueueDamage("it cannot be read, and what it changed is lost", frame: number, isLoss: true)
      )
    }
    if let sums {
      let computed = self.sums(of: checked, after: sums)
      if computed == stored {
        let problem = hasSalts ? nil : QueueDamage("a bit is flipped; it was corrected", frame: number)
        return (frame(isVerified: true), stored, problem)
      }
      let correction = QueueDamage(
        "a bit is flipped; it was corrected", frame: number, page: checked.number32(at: 0))
      if follows(computed, number) { return (frame(isVerified: true), computed, correction) }
      let bits = FlippedBit.all(in: checked, computed, stored, isBigEndian)
      if let bit = bits.count == 1 ? bits.first : sound(bits, checked) {
        checked = bit.corrected(checked)
        return (frame(isVerified: true, bit), stored, correction)
      }
      if computed.differsByOneBit(from: stored), !follows(stored, number) {
        return (frame(isVerified: true), computed, correction)
      }
      if !bits.isEmpty {
        let problem = QueueDamage("a bit is flipped", frame: number, page: checked.number32(at: 0))
        return (frame(isVerified: false), stored, problem)
      }
    }
    guard hasSalts else {
      return (
        nil, stored,
        QueueDamage("it cannot be read, and what it changed is lost", frame: number, isLoss: true)
      )
    }
    return (
      frame(isVerified: false, isWhole: false), stored,
      QueueDamage("its checksum does not fit", frame: number, page: checked.number32(at: 0))
    )
  }

  /// The bit that makes a page sound which is not. Where it is sound, a wrong correction would be worse than
  /// none.
  private func sound(_ bits: [FlippedBit], _ checked: [UInt8]) -> FlippedBit? {
    guard !isSound(Array(checked[8...])) else { return nil }
    return bits.first { $0.byte >= 8 && isSound(Array($0.corrected(checked)[8...])) }
  }

  private func sums(of checked: [UInt8], after sums: LogChecksum) -> LogChecksum {
    var sums = sums
    sums.add(checked[...], isBigEndian: isBigEndian)
    return sums
  }

  /// Whether the frame after one continues these sums, so that only the checksum of this one is damaged.
  private func follows(_ sums: LogChecksum, _ number: Int) -> Bool {
    guard let next = try? read(number + 1), next.count == frameBytes else { return false }
    return self.sums(of: covered(next), after: sums) == LogChecksum(storedIn: next, at: 16)
  }

  /// The page in a frame.
  func page(in frame: Frame) throws(FileReadError) -> [UInt8] {
    let bytes = try read(frame.number)
    guard bytes.count == frameBytes else { return [] }
    let checked = covered(bytes)
    return Array((frame.correction?.corrected(checked) ?? checked)[8...])
  }
}

/// A bit whose change explains a wrong checksum.
struct FlippedBit: Equatable {
  let byte: Int
  let mask: UInt8

  /// All of them among the bytes that led to `computed`, in their order.
  ///
  /// The sums are linear modulo 2³²: a change of a word changes each of them by a multiple that depends only
  /// on how many words follow. O(bits).
  static func all(
    in bytes: [UInt8], _ computed: LogChecksum, _ stored: LogChecksum, _ isBigEndian: Bool
  ) -> [FlippedBit] {
    let difference = (computed.first &- stored.first, computed.second &- stored.second)
    var found: [FlippedBit] = []
    // What 1 more in the first or the second word of a pair adds to both sums.
    var (first, second): ((UInt32, UInt32), (UInt32, UInt32)) = ((1, 1), (0, 1))
    for pair in stride(from: bytes.count - 8, through: 0, by: -8) {
      for (start, effect) in [(pair, first), (pair + 4, second)] {
        for bit in 0..<32 {
          let byte = start + (isBigEndian ? 3 - bit / 8 : bit / 8)
          let mask = UInt8(1) << UInt8(bit % 8)
          let change = (effect.0 << UInt32(bit), effect.1 << UInt32(bit))
          let isSet = bytes[byte] & mask != 0
          guard isSet ? change == difference : (0 &- change.0, 0 &- change.1) == difference else { continue }
          found.append(FlippedBit(byte: byte, mask: mask))
        }
      }
      first = (first.0 &+ first.1, first.0 &+ first.1 &+ first.1)
      second = (second.0 &+ second.1, second.0 &+ second.1 &+ second.1)
    }
    return found.reversed()
  }

  func corrected(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes[byte] ^= mask
    return bytes
  }
}

extension LogChecksum {
  fileprivate func differsByOneBit(from other: LogChecksum) -> Bool {
    (first ^ other.first).nonzeroBitCount + (second ^ other.second).nonzeroBitCount == 1
  }
}
