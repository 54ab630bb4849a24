// A delta is how a message differs from its dictionary: by turns, bytes of its own, preceded by their number,
// and a run that it has in common with the dictionary, as its length and its place there. Numbers are written
// with seven bits a byte, the lowest first, and the eighth bit in all but the last byte (LEB128).
extension MessageDictionary {
  /// Most deltas are shorter.
  private static let usualDeltaBytes = 224

  /// How a message in its stored form differs from the dictionary; nil for one that is too long. O(bytes).
  package func delta(of message: [UInt8]) -> [UInt8]? {
    guard message.count <= Self.byteCountMax else { return nil }
    var delta: [UInt8] = []
    delta.reserveCapacity(Self.usualDeltaBytes)
    // Guard: the arrays outlive the closures, and the pointers do not leave them.
    bytes.withUnsafeBytes { dictionary in
      message.withUnsafeBytes { message in
        let pair = MessagePair(message: message, dictionary: dictionary)
        var written = 0
        var at = 0
        while at <= message.count - WordPlaces.wordBytes {
          let word = WordPlaces.word(in: message, at: at)
          guard let run = pair.run(around: at, word, from: written, at: words.place(of: word)) else {
            at += 1
            continue
          }
          delta.append(number: run.start - written)
          delta.append(contentsOf: message[written..<run.start])
          delta.append(number: run.count)
          delta.append(number: run.place)
          written = run.start + run.count
          at = written
        }
        if written < message.count {
          delta.append(number: message.count - written)
          delta.append(contentsOf: message[written...])
        }
      }
    }
    return delta
  }

  /// The message of which `delta` is how it differs from `dictionary`; nil for a delta that `delta(of:)` did
  /// not make. O(bytes).
  package static func message(from delta: [UInt8], _ dictionary: [UInt8]) -> [UInt8]? {
    var message: [UInt8] = []
    message.reserveCapacity(min(dictionary.count + delta.count, byteCountMax))
    var rest = delta[...]
    while !rest.isEmpty {
      guard let own = rest.popNumber(), own <= rest.count else { return nil }
      message.append(contentsOf: rest.prefix(own))
      rest.removeFirst(own)
      if rest.isEmpty { break }
      guard let count = rest.popNumber(), let place = rest.popNumber(), place <= dictionary.count,
        count <= dictionary.count - place, message.count + count <= byteCountMax
      else { return nil }
      message.append(contentsOf: dictionary[place..<place + count])
    }
    return message.count <= byteCountMax ? message : nil
  }
}

/// A message and the dictionary that it is compared with.
private struct MessagePair {
  /// Bytes that both have.
  struct Run {
    var start: Int
    var place: Int
    var count: Int
  }

  let message: UnsafeRawBufferPointer
  let dictionary: UnsafeRawBufferPointer

  /// The longest run that contains the word at `at`, if the dictionary has this word at `place`. It begins at
  /// `first` or later.
  func run(around at: Int, _ word: UInt64, from first: Int, at place: Int) -> Run? {
    let size = WordPlaces.wordBytes
    guard place <= dictionary.count - size, WordPlaces.word(in: dictionary, at: place) == word else {
      return nil
    }
    var run = Run(start: at, place: place, count: size)
    while run.start > first, run.place > 0, message[run.start - 1] == dictionary[run.place - 1] {
      run.start -= 1
      run.place -= 1
      run.count += 1
    }
    var (end, to) = (at + size, place + size)
    while end <= message.count - size, to <= dictionary.count - size,
      WordPlaces.word(in: message, at: end) == WordPlaces.word(in: dictionary, at: to)
    {
      end += size
      to += size
    }
    while end < message.count, to < dictionary.count, message[end] == dictionary[to] {
      end += 1
      to += 1
    }
    run.count = end - run.start
    return run
  }
}

extension [UInt8] {
  fileprivate mutating func append(number: Int) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}

extension ArraySlice<UInt8> {
  /// Removes a number from the front; nil if there is none below 2^21.
  fileprivate mutating func popNumber() -> Int? {
    var number = 0
    for shift in [0, 7, 14] {
      guard let byte = popFirst() else { return nil }
      number |= Int(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return number }
    }
    return nil
  }
}
