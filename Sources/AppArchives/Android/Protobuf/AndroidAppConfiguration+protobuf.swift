internal import AppStrings

extension AndroidAppConfiguration {
  /// Reads a `Configuration` (AOSP Configuration.proto): 3 is the locale as a BCP 47 tag, 24 the version, 25
  /// the product, all others are conditions.
  init(_ message: ProtobufMessage, identity: ArraySlice<UInt8>) {
    self.identity = Array(identity)
    var sides: [Int] = []
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
        conditions[.version] = AndroidQualifier.version.text(Int(clamping: version))
      case (25, _): break
      case (_, .integer(0)): break
      case (5, .integer(let side)), (6, .integer(let side)):
        qualifierCount += 1
        sides.append(Int(clamping: side))
      case (let number, let value):
        qualifierCount += 1
        if let axis = Self.axes[number], case .integer(let value) = value {
          conditions[axis] = axis.text(Int(clamping: value))
        } else {
          // Newer tools may know more axes.
          conditions[.version] = "axis\(number)"
        }
      }
    }
    if let longer = sides.max(), let shorter = sides.min() {
      conditions[.screenDimensions] = "\(longer)x\(shorter)"
    }
  }

  /// The fields with one number or word each.
  private static let axes: [Int: AndroidQualifier] = [
    1: .mobileCountryCode, 2: .mobileNetworkCode, 4: .layoutDirection, 7: .width, 8: .height,
    9: .smallestWidth,
    10: .screenSize, 11: .screenAspect, 12: .roundScreen, 13: .wideColorGamut, 14: .dynamicRange,
    15: .orientation, 16: .uiMode, 17: .nightMode, 18: .density, 19: .touchscreen, 20: .keyboardAvailability,
    21: .keyboard, 22: .navigationAvailability, 23: .navigation, 26: .grammaticalGender,
  ]
}
