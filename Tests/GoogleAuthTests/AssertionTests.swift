import Foundation
import JSON
import TestSupport
import Testing

@testable import GoogleAuth

@Suite struct AssertionTests {
  private func decoded(_ part: Substring) throws -> [UInt8] {
    var text = String(part).replacing("-", with: "+").replacing("_", with: "/")
    while text.count % 4 != 0 { text += "=" }
    return Array(try #require(Data(base64Encoded: text, options: [])))
  }

  @Test func isAnRS256JWTThatVerifiesWithTheKey() throws {
    let key = try TestKey.shared.get()
    let file = key.serviceAccountFile(tokenURI: "http://127.0.0.1:1/token")
    guard
      case .serviceAccount(let account) = try Credentials.parse(file.serialized, file: "key.json").kind
    else {
      Issue.record("not a service account")
      return
    }
    let token = try #require(
      Assertion.compact(for: account, scope: OAuthScope.messaging, now: 1_700_000_000))
    #expect(!token.contains("="))
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    try #require(parts.count == 3)
    #expect(
      try JSON.parse(decoded(parts[0])) == ["typ": "JWT", "alg": "RS256", "kid": "kid-1"])
    #expect(
      try JSON.parse(decoded(parts[1])) == [
        "iat": 1_700_000_000, "exp": 1_700_003_600, "iss": "sender@p.iam.gserviceaccount.com",
        "aud": "https://oauth2.googleapis.com/token",
        "scope": "https://www.googleapis.com/auth/firebase.messaging",
      ])
    let signed = Array("\(parts[0]).\(parts[1])".utf8)
    #expect(key.verifies(try decoded(parts[2]), of: signed))
    #expect(!key.verifies(try decoded(parts[2]), of: signed + [0]))
  }

  @Test(arguments: ["": "", "f": "Zg", "fo": "Zm8", "foo": "Zm9v", "foob": "Zm9vYg", "fooba": "Zm9vYmE"])
  func encodesRFC4648sVectors(_ text: String, _ encoded: String) {
    #expect(Base64URL.encoded(Array(text.utf8)) == Array(encoded.utf8))
  }

  @Test func usesTheURLSafeAlphabet() {
    #expect(Base64URL.encoded([0xFB, 0xFF, 0xFE]) == Array("-__-".utf8))
  }
}
