/// The output of a format string, assembled piece by piece and never longer than the limit.
struct AndroidFormatOutput {
  private let args: [String]
  private let language: LocaleTag?
  private var bytes: [UInt8] = []
  /// Cached by arg, because a format string can use the hash of a long arg any number of times.
  private var hashes: [Int: String] = [:]

  /// `formatBytes` is the size of the format string.
  init(args: [String], language: LocaleTag?, formatBytes: Int) {
    self.args = args
    self.language = language
    bytes.reserveCapacity(args.reduce(formatBytes) { min($0 + $1.utf8.count, Self.usualBytesMax) })
  }

  private static let usualBytesMax = 4_096

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func append(_ slice: some Collection<UInt8>) throws(AndroidFormatError) {
    guard bytes.count + slice.count <= RenderingLimits.textBytesMax else { throw .tooLong }
    bytes.append(contentsOf: slice)
  }

  /// Prints a specifier with the arg at that offset; widths and precisions count UTF-16 units.
  mutating func append(
    _ specifier: AndroidFormatSpecifier, argument: Int?
  ) throws(AndroidFormatError) {
    var text = shown(specifier, argument: argument)
    if specifier.isPlain { return try append(text.utf8) }
    if let precision = specifier.precision { text = JavaText.prefix(of: text, units: precision) }
    if specifier.flags.contains(.upperCase) { text = JavaText.upperCased(text, language: language) }
    var padding = 0
    if let width = specifier.width {
      guard width <= RenderingLimits.textBytesMax else { throw .tooLong }
      padding = max(0, width - JavaText.unitCount(of: text, atMost: width))
    }
    let spaces = repeatElement(UInt8(ascii: " "), count: padding)
    if !specifier.flags.contains(.leftJustify) { try append(spaces) }
    try append(text.utf8)
    if specifier.flags.contains(.leftJustify) { try append(spaces) }
  }

  private mutating func shown(_ specifier: AndroidFormatSpecifier, argument: Int?) -> String {
    guard let argument, args.indices.contains(argument) else {
      return specifier.conversion == "n" ? "\n" : "%"
    }
    switch specifier.conversion {
    case "b": return "true"
    case "h":
      if let known = hashes[argument] { return known }
      let hash = String(JavaText.hashCode(of: args[argument]), radix: 16)
      hashes[argument] = hash
      return hash
    default: return args[argument]
    }
  }
}
