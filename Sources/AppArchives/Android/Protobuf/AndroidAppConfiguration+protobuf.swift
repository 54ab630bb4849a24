internal import AppStrings

extension AndroidAppConfiguration {
  /// Reads a `Configuration` (AOSP Configuration.proto): 3 is the locale as a BCP 47 tag, 24 the version, 25
  /// the product, all others are conditions.
  init(_ message: ProtobufMessage, identity: ArraySlice<UInt8>) {
    self.identity = Array(identity)
    for field in message {
      switch (field.number, field.value) {
      case (3, .bytes(let range)):
        let text = message.text(range)
        locale = LocaleTag(text)
        hasLegacyCode = Self.isLegacy(text.split { $0 == "-" || $0 == "_" }.first.map(String.init) ?? "")
      case (24, .integer(let version)):
        guard version > UInt64(Self.versionAlwaysMet) else {
          metVersion = Int(version)
          continue
        }
        qualifierCount += 1
        isConditional = true
      case (25, _): break
      case (_, .integer(0)): break
      default:
        qualifierCount += 1
        isConditional = true
      }
    }
  }
}
