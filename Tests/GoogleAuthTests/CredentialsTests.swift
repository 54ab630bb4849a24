import COpenSSL
import Foundation
import GoogleAuth
import JSON
import TestSupport
import Testing

@Suite struct CredentialsTests {
  private func file() throws -> [UInt8] { try TestKey.shared.get().serviceAccountFile().serialized }

  /// A service account's file with one changed field; nil removes it.
  private func file(with field: String, _ value: JSON?) throws -> [UInt8] {
    var object = try #require(try TestKey.shared.get().serviceAccountFile().object)
    object[field] = value
    return JSON.object(object).serialized
  }

  private func error(_ bytes: [UInt8]) throws -> CredentialsError {
    try #require(throws: CredentialsError.self) { try Credentials.parse(bytes, file: "key.json") }
  }

  @Test func readsAServiceAccount() throws {
    let credentials = try Credentials.parse(file(), file: "key.json")
    #expect(credentials.projectID == "p")
    guard case .serviceAccount(let account) = credentials.kind else {
      Issue.record("not a service account")
      return
    }
    #expect(account.clientEmail == "sender@p.iam.gserviceaccount.com")
    #expect(account.keyID == "kid-1")
    #expect(account.tokenURI == "https://oauth2.googleapis.com/token")
  }

  @Test func usesGooglesTokenEndpointByDefault() throws {
    guard
      case .serviceAccount(let account) = try Credentials.parse(file(with: "token_uri", nil), file: "f").kind
    else {
      Issue.record("not a service account")
      return
    }
    #expect(account.tokenURI == ServiceAccount.googleTokenURI)
  }

  @Test(arguments: ["type", "client_email", "private_key"])
  func reportsTheMissingField(_ field: String) throws {
    let error = try error(file(with: field, nil))
    #expect(error.description == "credentials file key.json: field \"\(field)\" is missing")
  }

  @Test func reportsTheInvalidField() throws {
    #expect(try error(file(with: "client_email", 7)).description.hasSuffix("is a number, not a string"))
    #expect(try error(file(with: "client_email", "")).description.hasSuffix("\"client_email\" is empty"))
    #expect(try error(file(with: "token_uri", "ftp://x")).problems.map(\.field) == ["token_uri"])
    #expect(try error(file(with: "token_uri", "https://user@x/")).problems.map(\.field) == ["token_uri"])
  }

  @Test func reportsAllMistakesAtOnce() throws {
    let error = try error(
      Array(#"{"type":"service_account","client_email":7,"token_uri":"http://x.test/"}"#.utf8))
    #expect(error.code == .field)
    #expect(
      error.description
        == #"credentials file key.json: field "client_email" is a number, not a string; "#
        + #"field "private_key" is missing; field "token_uri" does not begin with https:// "#
        + "(http:// is for this machine's own addresses alone)")
  }

  @Test(arguments: ["s3cret", "gdch_service_account", "Service_Account"])
  func listsTheKnownTypesWithoutQuotingAnUnknownOne(_ type: String) throws {
    let error = try error(file(with: "type", .string(type)))
    #expect(error.code == .unsupportedType)
    #expect(
      error.description
        == #"credentials file key.json: field "type" is none of "service_account", "authorized_user", "#
        + #""external_account", "external_account_authorized_user", "impersonated_service_account""#)
  }

  /// What the consoles of Google and Apple offer beside the key of a service account.
  @Test(arguments: [
    (#"{"project_info": {"project_id": "p"}, "client": [{}]}"#, "google-services.json"),
    (#"<?xml version="1.0"?><!DOCTYPE plist><plist/>"#, "GoogleService-Info.plist"),
    (#"{"installed": {"client_id": "made-up", "client_secret": "s3cret"}}"#, "an OAuth client"),
    (#"{"web": {"client_id": "made-up", "client_secret": "s3cret"}}"#, "an OAuth client"),
    ("AAAAs3cret:APA91bMadeUp\n", "a server key of FCM's legacy API"),
    ("-----BEGIN PRIVATE KEY-----\ns3cret\n", "an APNs key (.p8)"),
  ])
  func namesOtherFilesForWhatTheyAre(_ text: String, _ name: String) throws {
    let error = try error(Array(text.utf8))
    #expect(error.code == .unsupportedType)
    #expect(error.description.contains(name), "\(error)")
    #expect(error.description.contains("service account"))
    #expect(!error.description.contains("s3cret"))
    #expect(!error.mayPass)
  }

  @Test func rejectsWhatIsNotAJSONObject() throws {
    #expect(try error(Array("{\"type\":".utf8)).code == .syntax)
    #expect(
      try error(Array("[]".utf8)).description == "credentials file key.json: holds an array, not an object")
    #expect(try error(Array("{\"k3y\":1,\"k3y\":2}".utf8)).description.contains("k3y") == false)
  }

  @Test func rejectsInvalidKeysWithoutShowingThem() throws {
    let pem = try TestKey.shared.get().pem
    let cases = [
      ("not a key", "is not an unencrypted private key in PEM form"),
      (String(pem.dropLast(200)), "is not an unencrypted private key in PEM form"),
      (try TestKey(bits: 1024).pem, "is an RSA key of 1024 bits; at least 2048 are needed"),
    ]
    for (pem, reason) in cases {
      let error = try error(file(with: "private_key", .string(pem)))
      #expect(error.description == "credentials file key.json: field \"private_key\" \(reason)")
    }
  }

  @Test func rejectsKeysOfAnotherKind() throws {
    let key = try #require(dragoman_generate_ec_key())
    defer { EVP_PKEY_free(key) }
    let pem = try TestKey.pem(of: key)
    #expect(
      try error(file(with: "private_key", .string(pem))).problems.map(\.reason) == ["is not an RSA key"])
  }

  @Test func neverShowsTheKey() throws {
    let credentials = try Credentials.parse(file(), file: "key.json")
    var dumped = ""
    dump(credentials, to: &dumped)
    for text in ["\(credentials)", String(reflecting: credentials), dumped] {
      #expect(!text.contains("PRIVATE KEY"))
    }
  }

  @Test func reportsAMissingFile() throws {
    let error = try #require(throws: CredentialsError.self) {
      try Credentials.load(file: "/nonexistent/key.json")
    }
    #expect(error.description == "credentials file /nonexistent/key.json: does not exist")
    let folder = try #require(throws: CredentialsError.self) { try Credentials.load(file: "/") }
    #expect(folder.description == "credentials file /: is a folder")
  }

  @Test func readsTheProjectFromTheEnvironment() {
    #expect(Credentials.projectID(environment: ["GCLOUD_PROJECT": "b", "GOOGLE_CLOUD_PROJECT": "a"]) == "a")
    #expect(Credentials.projectID(environment: ["GCLOUD_PROJECT": "b", "GOOGLE_CLOUD_PROJECT": ""]) == "b")
    #expect(Credentials.projectID(environment: [:]) == nil)
  }
}
