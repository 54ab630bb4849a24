import FCM
import Testing

@Suite struct FailureMessageTests {
  private func message(_ text: String) throws -> String {
    try AnswerClassifierTests.failure(400, AnswerClassifierTests.body(400, text, "INVALID_ARGUMENT")).message
  }

  @Test func dropsTheValueThatFCMEchoes() throws {
    #expect(
      try message("Invalid value at 'message.data[0].value' (TYPE_STRING), \"secret text (really)\"")
        == "Invalid value at 'message.data[0].value' (TYPE_STRING)")
    #expect(
      try message(
        "Invalid value at 'message.android.priority' (type.googleapis.com/a.B), "
          + "\"x\nInvalid value at 'y' (Z)\""
      )
        == "Invalid value at 'message.android.priority' (type.googleapis.com/a.B)")
    #expect(try message("Invalid value at 'message.token', \"secret\"").contains("secret") == false)
  }

  @Test func dropsTheRequestThatAParseErrorQuotes() throws {
    #expect(
      try message("Invalid JSON payload received. Unexpected token.\n{\"message\":{\"token\":\"abc\n^")
        == "Invalid JSON payload received. Unexpected token.")
  }

  @Test func dropsWhatLooksLikeARegistrationToken() throws {
    let token = "bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1-HHwgIpoDKCIZvvDMExUdFQ3P1"
    #expect(try message("Token \(token) is no good: \(token)") == "Token … is no good: …")
  }

  @Test func keepsNamesOfFieldsAndPermissions() throws {
    for text in [
      "Invalid JSON payload received. Unknown name \"toen\" at 'message': Cannot find field.",
      "Permission 'cloudmessaging.messages.create' denied on resource "
        + "'//cloudresourcemanager.googleapis.com/p'",
      "Schlüssel fehlt",
    ] { #expect(try message(text) == text) }
  }

  @Test(arguments: ["a", "é", "…", "👍"])
  func cutsTo500BytesBetweenCharacters(_ character: String) throws {
    let text = try message(String(repeating: character + " ", count: 600))
    #expect((496...500).contains(text.utf8.count))
    #expect(!text.contains("\u{FFFD}"))
  }
}
