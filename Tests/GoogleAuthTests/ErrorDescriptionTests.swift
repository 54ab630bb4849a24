import Foundation
import HTTPClient
import TestSupport
import Testing

@testable import GoogleAuth

/// No error of this module shows the content of a file, a key, a token or a server's answer.
@Suite struct ErrorDescriptionTests {
  private let secret = "s3cret-value"

  @Test func secretFileErrorHoldsNothingOfTheFile() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "token").path
      try Data(secret.utf8).write(to: URL(filePath: file))
      let tooLarge = try #require(throws: SecretFileError.self) {
        try SecretFile.contents(file, bytesMax: 4)
      }
      #expect(tooLarge.code == .tooLarge(bytesMax: 4))
      #expect(!tooLarge.description.contains(secret))
      let missing = try #require(throws: SecretFileError.self) {
        try SecretFile.contents(folder.path + "/none", bytesMax: 4)
      }
      #expect(missing.code == .missing)
      #expect(missing.underlying != nil)
      let isFolder = try #require(throws: SecretFileError.self) {
        try SecretFile.contents(folder.path, bytesMax: 4)
      }
      #expect(isFolder.code == .folder)
    }
  }

  @Test func subjectTokenErrorHoldsNothingOfTheToken() throws {
    let bytes: [(SubjectTokenFormat, [UInt8], SubjectTokenError.Code)] = [
      (.text, Array(secret.utf8) + [0xFF], .notUTF8), (.text, [0x20], .empty),
      (.json(field: "t"), Array(secret.utf8), .notJSON),
      (.json(field: "t"), Array(#"{"u":"\#(secret)"}"#.utf8), .missingField),
    ]
    for (format, bytes, code) in bytes {
      let error = try #require(throws: SubjectTokenError.self) { try format.token(in: bytes) }
      #expect(error.code == code)
      #expect(!error.description.contains(secret))
    }
  }

  @Test func credentialsErrorHoldsNothingOfTheFile() throws {
    let files = [
      #"{"type":"\#(secret)"}"#, #"{"type":"service_account","private_key":"\#(secret)"}"#,
      #"{"type":"authorized_user","client_secret":["\#(secret)"]}"#, #"{"\#(secret)"#,
      #"{"\#(secret)":1,"\#(secret)":2}"#,
    ]
    for file in files {
      let error = try #require(throws: CredentialsError.self) {
        try Credentials.parse(Array(file.utf8), file: "key.json")
      }
      #expect(!error.description.contains(secret))
    }
  }

  @Test func signingKeyErrorHoldsNothingOfTheKey() throws {
    let pem = "-----BEGIN PRIVATE KEY-----\n\(secret)\n-----END PRIVATE KEY-----\n"
    let error = try #require(throws: SigningKeyError.self) { try SigningKey(pem: pem) }
    #expect(error.code == .notAPrivateKey)
    #expect(!error.description.contains(secret))
  }

  @Test func metadataServerErrorHoldsNothingOfTheAnswer() async throws {
    for (status, code) in [(200, MetadataServerError.Code.otherServer), (404, .otherServer)] {
      try await TokenServices.run { _ in
        .respond(status, [:], "\(secret)!")
      } test: { services in
        let detection = MetadataServer.Detection([
          "GCE_METADATA_HOST": "127.0.0.1:\(services.standIn.port)"
        ])
        let error = await #expect(throws: MetadataServerError.self) {
          try await MetadataServer.detect(detection, over: services.transport)
        }
        #expect(error?.code == code)
        #expect(error?.httpStatus == (status == 200 ? nil : status))
        #expect(error?.description.contains(secret) == false)
      }
    }
  }
}
