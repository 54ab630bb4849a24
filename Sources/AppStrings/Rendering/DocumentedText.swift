package import FCMMessage

/// What FCM's documentation promises of loc-args: every placeholder is filled in, in its own way of counting.
///
/// It shows `You have %1$d new messages` with the number in it, where a phone does otherwise.
package enum DocumentedText {
  /// The text with every placeholder of either platform replaced by its arg; one without an arg stays as
  /// written, as does a `%` that begins none. Without args the text is shown as it is.
  ///
  /// A text beyond `RenderingLimits.textBytesMax` is cut there.
  /// - Parameters:
  ///   - format: the string resource's text.
  ///   - args: the loc-args.
  ///   - platform: whose way of writing goes first.
  ///   - language: that of the phone's resources, by whose rules Android's `%S` upper-cases.
  /// - Returns: the text as documented.
  package static func fill(
    _ format: String, args: [String], platform: AppPlatform, language: LocaleTag? = nil
  ) -> String {
    guard !args.isEmpty else { return format }
    let parsed = FormatString(format, platform: platform)
    // Widths, precisions and upper case are promised too, where the phone has them.
    if platform == .android, parsed.placeholders.allSatisfy({ $0.conversion == .text }),
      let text = try? AndroidFormatter.format(format, args: args, language: language)
    {
      return text
    }
    return filled(parsed, args: args)
  }

  private static func filled(_ parsed: FormatString, args: [String]) -> String {
    let bytes = Array(parsed.text.utf8)
    var output: [UInt8] = []
    var offset = 0
    for placeholder in parsed.placeholders {
      output += unescaped(bytes[offset..<placeholder.range.lowerBound], platform: parsed.platform)
      if placeholder.conversion != .plural, let index = placeholder.argument,
        args.indices.contains(index)
      {
        output += args[index].utf8
      } else {
        output += bytes[placeholder.range]
      }
      offset = placeholder.range.upperBound
      if output.count > RenderingLimits.textBytesMax { return text(output) }
    }
    return text(output + unescaped(bytes[offset...], platform: parsed.platform))
  }

  /// `%%` as `%`, and Android's `%n` as a line feed.
  private static func unescaped(_ bytes: ArraySlice<UInt8>, platform: AppPlatform) -> [UInt8] {
    var output: [UInt8] = []
    var offset = bytes.startIndex
    while offset < bytes.endIndex {
      let byte = bytes[offset]
      output.append(byte)
      offset += 1
      guard byte == UInt8(ascii: "%"), offset < bytes.endIndex else { continue }
      if bytes[offset] == UInt8(ascii: "%") {
        offset += 1
      } else if platform == .android, bytes[offset] == UInt8(ascii: "n") {
        output[output.count - 1] = UInt8(ascii: "\n")
        offset += 1
      }
    }
    return output
  }

  /// Cut at the limit, but not within a character.
  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: RenderingLimits.cut(bytes), as: UTF8.self)
  }
}
