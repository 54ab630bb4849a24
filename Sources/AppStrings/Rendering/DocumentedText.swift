package import FCMMessage

/// Fills loc-args into a text as FCM's documentation promises: every placeholder gets its arg.
///
/// `You have %1$d new messages` gets the number, which real phones do not do.
package enum DocumentedText {
  /// The text with every placeholder of either platform replaced by its arg. A placeholder without an arg is
  /// unchanged, and so is a `%` that begins no placeholder. Without args the whole text is unchanged.
  ///
  /// A text beyond `RenderingLimits.textBytesMax` is cut there.
  /// - Parameters:
  ///   - format: the string resource's text.
  ///   - args: the loc-args.
  ///   - platform: the platform whose syntax takes precedence.
  ///   - language: the language of the phone's resources, which decides how Android's `%S` converts to upper
  ///     case.
  ///   - shown: what a phone shows of the text, if that is known.
  /// - Returns: the text as documented.
  package static func fill(
    _ format: String, args: [String], platform: AppPlatform, language: LocaleTag? = nil,
    shown: String? = nil
  ) -> String {
    guard !args.isEmpty, format.utf8.contains(UInt8(ascii: "%")) else { return format }
    let parsed = FormatString(format, platform: platform)
    // The documentation includes widths, precisions and upper case where the phone supports them.
    if platform == .android, parsed.placeholders.allSatisfy({ $0.conversion == .text }),
      let text = shown ?? (try? AndroidFormatter.format(format, args: args, language: language))
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

  /// Truncated at the limit, but not within a character.
  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: RenderingLimits.cut(bytes), as: UTF8.self)
  }
}
