import GoogleAuth
import JSON
import Testing

/// What a workload identity file must contain.
@Suite struct ExternalAccountFileTests {
  private func source(_ source: JSON) throws -> [String] {
    try mistakes(ExternalAccountTests.file("https://sts.googleapis.com", source: source))
  }

  private func field(_ name: String, _ value: JSON?) throws -> [String] {
    try mistakes(
      ExternalAccountTests.file("https://sts.googleapis.com", source: ["file": "/token"]).with(name, value))
  }

  @Test func usesGooglesTokenExchangeByDefault() throws {
    let file = try ExternalAccountTests.file("", source: ["file": "/token"]).with("token_url", nil)
    let credentials = try Credentials.parse(file.serialized, file: "f")
    guard case .externalAccount = credentials.kind else {
      Issue.record("not an external account")
      return
    }
    #expect("\(credentials)" == "workload identity federation")
  }

  /// As `gcloud iam workload-identity-pools create-cred-config --azure` writes it.
  @Test func readsAFileForAzure() throws {
    let file = Array(
      #"""
      {
        "universe_domain": "googleapis.com",
        "type": "external_account",
        "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/c/providers/c",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": "https://sts.googleapis.com/v1/token",
        "credential_source": {
          "url": "http://169.254.169.254/metadata/identity/oauth2/token\#
      ?api-version=2018-02-01&resource=https://a/b",
          "headers": {
            "Metadata": "True"
          },
          "format": {
            "type": "json",
            "subject_token_field_name": "access_token"
          }
        },
        "service_account_impersonation_url": "https://iamcredentials.googleapis.com/v1/projects/-/\#
      serviceAccounts/d@p.iam.gserviceaccount.com:generateAccessToken"
      }
      """#.utf8)
    #expect(
      "\(try Credentials.parse(file, file: "f"))"
        == "workload identity federation as service account d@p.iam.gserviceaccount.com")
  }

  @Test func reportsAllMistakesAtOnce() throws {
    let file: JSON = [
      "type": "external_account", "token_url": "http://sts.googleapis.com/v1/token",
      "credential_source": [
        "url": "file:///etc/passwd", "headers": ["A B": "1", "C": 2, "D": "a\nb", "E": nil],
      ],
      "service_account_impersonation_url": "https://iamcredentials.googleapis.com/v1/x:signBlob",
      "service_account_impersonation": ["token_lifetime_seconds": 599],
      "workforce_pool_user_project": "1",
    ]
    #expect(
      try mistakes(file) == [
        #"field "audience" is missing"#, #"field "subject_token_type" is missing"#,
        #"field "token_url" does not begin with https:// "#
          + "(http:// is for this machine's own addresses alone)",
        #"field "credential_source.headers" holds an invalid header name"#,
        #"field "credential_source.headers.C" is a number, not a string"#,
        #"field "credential_source.headers.D" holds characters that a header cannot carry"#,
        #"field "credential_source.headers.E" is null, not a string"#,
        #"field "credential_source.url" does not begin with https:// or http://"#,
        #"field "service_account_impersonation.token_lifetime_seconds" is not a whole number "#
          + "from 600 to 43200",
        #"field "service_account_impersonation_url" does not end in :generateAccessToken"#,
      ])
  }

  @Test func reportsUnsupportedSources() throws {
    #expect(
      try source(["executable": ["command": "/bin/s3cret"]]) == [
        #"field "credential_source.executable" is not supported: programs are not run; "#
          + #"have the program write a "file""#
      ])
    #expect(
      try source(["environment_id": "aws1", "url": "http://169.254.169.254/x"]) == [
        #"field "credential_source.environment_id" is not supported: AWS sources are refused; "#
          + #"use "file" or "url""#
      ])
    #expect(
      try source(["certificate": [:]]) == [
        #"field "credential_source.certificate" is not supported; use "file" or "url""#
      ])
  }

  @Test func requiresOneSourceAndAKnownFormat() throws {
    #expect(try source([:]) == [#"field "credential_source.file" is missing, and so is "url""#])
    #expect(
      try source(["file": "/a", "url": "https://a"]) == [
        #"field "credential_source.file" is set together with "url"; only one source is allowed"#
      ])
    #expect(
      try source(["file": "/a", "format": ["type": "xml"]]) == [
        #"field "credential_source.format.type" is neither "text" nor "json""#
      ])
    #expect(
      try source(["file": "/a", "format": ["type": "json"]]) == [
        #"field "credential_source.format.subject_token_field_name" is missing"#
      ])
    #expect(try source("x") == [#"field "credential_source" is a string, not an object"#])
    #expect(try field("credential_source", nil) == [#"field "credential_source" is missing"#])
  }

  @Test(arguments: [
    "http://169.254.169.254/", "http://localhost.evil.test/", "http://127.0.0.1.evil.test/", "http://127.1/",
    "http://[::2]/", "http://127.0.0.256/",
  ])
  func rejectsPlainHTTPToOtherMachines(_ url: String) throws {
    #expect(
      try field("token_url", .string(url)) == [
        #"field "token_url" does not begin with https:// (http:// is for this machine's own addresses alone)"#
      ])
  }

  @Test(arguments: [
    "http://localhost:1/", "http://LOCALHOST/", "http://127.9.8.7:1/t", "http://[::1]:80/", "HTTPS://x.test",
  ])
  func acceptsTLSAndLoopback(_ url: String) throws {
    let file = try ExternalAccountTests.file("", source: ["file": "/token"]).with("token_url", .string(url))
    _ = try Credentials.parse(file.serialized, file: "f")
  }
}
