import Testing

@testable import SQL

/// Which parts of a PostgreSQL URL are shown, and which are not.
@Suite struct PostgresURLTests {
  @Test(arguments: [
    ("postgres://gateway:s3cret@db.example/queue", "postgres://gateway@db.example/queue"),
    ("postgresql://gateway@db.example:5433/queue", "postgres://gateway@db.example:5433/queue"),
    ("postgres://u:a%40b@one,two:5433/q?sslmode=verify-full", "postgres://u@one,two:5433/q"),
    ("postgres:///q?host=%2Frun%2Fpg&password=s3cret", "postgres://%2Frun%2Fpg/q"),
    ("postgres://[::1]:5432/q", "postgres://[::1]:5432/q"),
    ("postgres://u:a?b@h/q?application_name=a@b", "postgres://u@h/q"),
  ])
  func describesEverythingButThePassword(_ text: String, _ told: String) throws {
    #expect(try PostgresURL(text).description == told)
  }

  @Test func marksHiddenPartsInPrint() throws {
    #expect(
      try PostgresURL("postgres://u:pw@h/q?sslmode=require").printed == "postgres://u:(hidden)@h/q?(hidden)")
    #expect(try PostgresURL("postgres://u@h/q").printed == "postgres://u@h/q")
  }

  @Test(arguments: [
    "", "mysql://u:s3cret@h/q", "postgres://u:s3cret@h/q?sslmoe=require", "postgres://u:s3cret@[::1/q",
    "postgres://u:s3cret%zz@h/q", "postgres://u:s3cret@h/q?x", "postgres://u:s3cret@h/q\u{0}",
    // With characters that libpq takes for the end of the password, or of the host.
    "postgres://u:s3/cret/s3cret@h:1/q", "postgres://u:s3@s3cret@h/q", "postgres://u:s3cret",
    "postgres://u:s3cret/@h/q", "postgres://u:1/s3cret@h:5432/q", "postgres://u:s3cret@h:s3cret/q",
    "postgres://u:a?/s3cret@h/q",
  ])
  func quotesNothingOfARejectedURL(_ text: String) {
    let error = #expect(throws: PostgresURL.ParseError.self) { _ = try PostgresURL(text) }
    #expect(!(error?.description.contains("s3cret") ?? true))
    #expect(!(error?.description.isEmpty ?? true))
  }

  /// `p` is a part of many words.
  @Test func hidesAShortPasswordOnlyWhereItIsAWord() throws {
    let url = try PostgresURL("postgres://u:p@h/q")
    #expect(
      url.redacted("port 1 failed: p, (p) \"p\" pp p")
        == "port 1 failed: (hidden), ((hidden)) \"(hidden)\" pp (hidden)")
    #expect(try PostgresURL("postgres://u:pass@h/q").redacted("a passport") == "a (hidden)port")
  }

  @Test func hidesThePasswordInErrors() {
    let error = #expect(throws: DatabaseError.self) {
      try PostgresConnection(
        try PostgresURL("postgres://u:s3cret@127.0.0.1:1/s3cret?sslmode=disable&application_name=s3cret"))
    }
    #expect(error?.kind == .connectionLost)
    #expect(!(error?.message.contains("u:s3cret") ?? true))
  }
}
