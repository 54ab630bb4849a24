import Testing

@testable import JSON

struct JSONParseErrorTests {
  /// One document for each kind of error; each has the secret in its values and keys.
  private static let documents = [
    #"{"SECRET":1,"SECRET":2}"#, #"{"a":"SECRET" "b":1}"#, #"["SECRET",]"#, #"{"SECRET" 1}"#, #"{SECRET:1}"#,
    #""SECRET"#, #"["SECRET\q"]"#, #"["SECRET\ud800"]"#, #"["SECRET\u12G4"]"#, #"["SECRET"] SECRET"#,
    "SECRET",
    "[\"SECRET\u{1}\"]", String(repeating: "[\"SECRET\",", count: 65),
  ]

  @Test(arguments: documents) func descriptionHoldsNoTextOfTheDocument(_ document: String) throws {
    let secret = "cGhvbmU6APA91bHun4MxP5egoKMwt2KZFBaFUH"
    let text = document.replacing("SECRET", with: secret)
    let error = try #require(throws: JSONParseError.self) { try JSON.parse(text) }
    #expect(!"\(error)".contains(secret))
    #expect("\(error)".contains("line 1"))
  }

  /// It is invisible, and some libraries write one.
  @Test func namesAByteOrderMark() throws {
    let error = try #require(throws: JSONParseError.self) { try JSON.parse("\u{FEFF}{}") }
    #expect("\(error)".contains("byte order mark; write UTF-8 without one (line 1, column 1)"), "\(error)")
    let half = try #require(throws: JSONParseError.self) { try JSON.parse([0xEF, 0xBB]) }
    #expect(!"\(half)".contains("byte order mark"))
  }

  @Test func descriptionOfInvalidUTF8HoldsNoTextOfTheDocument() throws {
    let bytes = Array(#"["secret-text"#.utf8) + [0xFF] + Array(#""]"#.utf8)
    let error = try #require(throws: JSONParseError.self) { try JSON.parse(bytes) }
    #expect(!"\(error)".contains("secret"))
  }
}
