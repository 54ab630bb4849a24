/// Why a text is not a usable private key. Never holds a part of the text.
package struct SigningKeyError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// There is no PEM block with an unencrypted private key.
    case notAPrivateKey
    case notRSA
    case tooShort
  }

  package let code: Code
  /// The key's size; nil without a key.
  package var bits: Int?

  /// The reason, as the end of a sentence that begins with the field's name.
  package var description: String {
    switch code {
    case .notAPrivateKey: "is not an unencrypted private key in PEM form"
    case .notRSA: "is not an RSA key"
    case .tooShort: "is an RSA key of \(bits ?? 0) bits; at least \(SigningKey.bitsMin) are needed"
    }
  }
}
