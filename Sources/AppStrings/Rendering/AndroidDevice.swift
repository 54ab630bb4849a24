/// Renders a notification's texts as the FCM SDK does on an Android phone with the app in the background
/// (firebase-messaging, NotificationParams.java and CommonNotificationBuilder.java).
package struct AndroidDevice: Sendable {
  /// The language of the phone's resources, which decides how `%S` converts to upper case.
  package let language: LocaleTag?

  package init(language: LocaleTag?) {
    self.language = language
  }

  /// What a text slot shows.
  /// - Parameters:
  ///   - key: the loc key; an empty key counts as none.
  ///   - literal: `title` or `body`, which wins over the key.
  ///   - lookup: what the phone finds by the key.
  ///   - args: the loc-args; without any the text is not formatted at all.
  /// - Returns: what the user sees, or why the user sees nothing.
  package func outcome(
    key: String?, literal: String? = nil, lookup: StringLookup, args: [String]
  ) -> SlotOutcome {
    if let literal, !literal.isEmpty { return .text(literal) }
    return text(of: key ?? "", lookup, hasArgs: !args.isEmpty).outcome(args: args)
  }

  /// What it shows of a key's text, whatever the args are.
  package func text(of key: String, _ lookup: StringLookup, hasArgs: Bool) -> DeviceText {
    if key.isEmpty { return .fixed(.none) }
    switch AndroidKey(key) {
    case .null: return dropped("Android reads the key as the resource id 0, which does not exist")
    case .resourceID:
      return notFound("Android reads a key of digits as a resource id, and the app has no such id")
    case .qualified where lookup == .missing:
      return dropped("Android reads a key with : or / as the name of a package or resource type")
    case .qualified, .name: break
    }
    switch lookup {
    case .missing: return dropped("the app has no string of that name")
    case .removed: return dropped("values/ lacks the string, so the build leaves it out of the app")
    case .elsewhere:
      return notFound("no folder that this phone uses has the string, and values/ does not either")
    case .found(let entry, _), .notAString(let entry, _):
      guard let text = entry.text else {
        return dropped("the key is a plural or an array, and Android looks up only strings")
      }
      switch entry.absence {
      // AOSP TypedValue.coerceToString: the number of a reference, and nothing, for which getText throws.
      case .null: return .fixed(.text("@0"))
      case .empty: return notFound("the string is @empty, which has no text")
      case nil where entry.isUnresolved:
        return .fixed(
          .unknownText(reason: "the string refers to \(text.firstScalars), whose text only the phone knows"))
      case nil: return .android(text, hasArgs: hasArgs, language: language)
      }
    }
  }

  private func dropped(_ reason: String) -> DeviceText { .fixed(.dropped(reason: reason)) }

  private func notFound(_ reason: String) -> DeviceText {
    .fixed(.crash(exception: "android.content.res.Resources$NotFoundException", reason: reason))
  }
}

/// How `Resources.getIdentifier` interprets a loc key (AOSP ResourcesImpl.java, ResourceUtils.cpp).
package enum AndroidKey: Sendable, Equatable {
  /// The name of a string.
  case name
  /// `package:type/name` or a part of it. (Android would find `string/name`, but `check` rejects it.)
  case qualified
  /// A number: Java tries `Integer.parseInt` before it looks for a name.
  case resourceID
  /// The number 0, which `getIdentifier` returns for a resource that does not exist.
  case null

  package init(_ key: String) {
    if let number = Self.parseInt(key) {
      self = number == 0 ? .null : .resourceID
    } else {
      self = key.utf8.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") } ? .qualified : .name
    }
  }

  /// `Integer.parseInt`: a sign and decimal digits of any script within the Basic Multilingual Plane.
  private static func parseInt(_ key: String) -> Int? {
    var scalars = key.unicodeScalars[...]
    let isNegative = scalars.first == "-"
    if isNegative || scalars.first == "+" { scalars.removeFirst() }
    guard !scalars.isEmpty else { return nil }
    var value = 0
    for scalar in scalars {
      guard scalar.value <= 0xFFFF, scalar.properties.generalCategory == .decimalNumber,
        let digit = scalar.properties.numericValue
      else { return nil }
      value = value * 10 + Int(digit)
      guard value <= Int(Int32.max) + (isNegative ? 1 : 0) else { return nil }
    }
    return value
  }
}
