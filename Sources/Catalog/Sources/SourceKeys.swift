internal import JSON
internal import YAML

/// The keys of sources that a catalog's slots name, with the native names that they lead to.
final class SourceKeys {
  /// The first use of a key.
  private struct Use {
    let args: [String]
    let number: String?
    let line: Int
  }

  private let shape: (String) -> SourceShape?
  private var uses: [ExactText: Use] = [:]
  /// The key of each native name.
  private var keys: [ExactText: String] = [:]

  init(_ shape: @escaping (String) -> SourceShape?) { self.shape = shape }

  /// What the texts of a key depend on; nil if no source has it.
  func shape(of key: String) -> SourceShape? { shape(key) }

  /// The name of a native string for a key or a value: every character but letters, digits and `_` becomes
  /// `_`.
  static func nativeName(_ key: String) -> String {
    key.unicodeScalars.reduce(into: "") { name, scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber:
        name.unicodeScalars.append(scalar)
      default: name += "_"
      }
    }
  }

  /// Why a slot cannot use a key: its native names are those of another one, or another slot sends other
  /// args; nil if it can.
  func conflict(_ key: String, names: [String], args: [String], number: String?, line: Int) -> String? {
    if let twice = names.first(where: { name in names.count { $0.hasSameBytes(as: name) } > 1 }) {
      return "leads to the native name \(twice) for two values of an enum; rename one of them"
    }
    for name in names {
      guard let other = keys[ExactText(name)] else {
        keys[ExactText(name)] = key
        continue
      }
      if !other.hasSameBytes(as: key) {
        return "leads to the native name \(name), as the key \(other) does; rename one of them"
      }
    }
    guard let first = uses[ExactText(key)] else {
      uses[ExactText(key)] = Use(args: args, number: number, line: line)
      return nil
    }
    guard first.args != args || first.number != number else { return nil }
    return "has other args than in line \(first.line), but there is one text for both; give both the same"
  }
}
