package import FCMMessage
internal import JSON

/// The room for one text of a notification until the user expands it, on one phone of each platform in its
/// default font size (docs/devices.md, "Length").
package struct CollapsedSlot: Sendable {
  package let linesMax: Int
  private let table: WidthTable
  private let font: [UInt8]
  /// Of a line, in units of the table.
  private let room: Int

  /// `slot` is `title`, `subtitle` or `body`; nil for one that the platform does not show.
  package init?(_ slot: String, on platform: AppPlatform) {
    table = .shared
    guard let known = table.collapsed(slot, on: platform), let size = known["size"]?.int64, size > 0,
      let weight = known["weight"]?.int64, let width = known["room"]?.int64, let lines = known["max"]?.int64
    else { return nil }
    font = table.font("\(platform.rawValue)\(weight)")
    room = Int(clamping: width) * table.units / Int(clamping: size)
    linesMax = Int(clamping: lines)
  }

  /// How many characters of a text appear; nil if all do.
  package func shownCharacters(of text: String) -> Int? {
    guard mayBeCut(text) else { return nil }
    var text = MeasuredText(text, table, font: font)
    let pieces = text.pieces
    var (shown, place, line) = (0, 0, 0..<0)
    for number in 1...max(1, linesMax) {
      shown += line.count
      line = place..<endOfLine(from: place, in: &text)
      place = line.upperBound
      // The last line's own end would need a further line, unless it ends the text.
      if place < pieces.count, pieces[place].isLineEnd, number < linesMax || place == pieces.count - 1 {
        place += 1
      }
      if place == pieces.count { return nil }
    }
    let cut = pieces[line.lowerBound...].prefix { !$0.isLineEnd }
    let kept = fitting(cut, room - table.width(of: "…" as Unicode.Scalar, in: font))
    return shown + kept.count - kept.reversed().prefix(while: \.isBlank).count
  }

  /// Whether a text can have too many lines, without looking for them. Two lines that follow each other are
  /// wider than one together, because what begins the second one has no room in the first.
  private func mayBeCut(_ text: String) -> Bool {
    let roomCertain = room * max(1, linesMax / 2)
    var total = 0
    for scalar in text.unicodeScalars {
      // Characters that make up one grapheme are no wider together.
      total += table.width(of: scalar, in: font)
      if total > roomCertain || scalar == "\n" || scalar == "\r" { return true }
    }
    return false
  }

  private func endOfLine(from start: Int, in text: inout MeasuredText) -> Int {
    var (place, used) = (start, 0)
    while place < text.pieces.count, !text.pieces[place].isLineEnd {
      let end = text.endOfPart(from: place)
      let part = text.pieces[place..<end]
      let width = part.reduce(0) { $0 + $1.width }
      let blank = part.reversed().prefix(while: \.isBlank).reduce(0) { $0 + $1.width }
      guard used + width - blank <= room else {
        // A word that is longer than a line is split.
        return place > start ? place : place + max(1, fitting(part, room).count)
      }
      used += width
      place = end
    }
    return place
  }

  /// As many of the pieces as have room.
  private func fitting(
    _ pieces: ArraySlice<MeasuredText.Piece>, _ room: Int
  ) -> ArraySlice<MeasuredText.Piece> {
    var used = 0
    return pieces.prefix { piece in
      used += piece.width
      return used <= room
    }
  }
}
