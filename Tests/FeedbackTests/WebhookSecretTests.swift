import Testing

@testable import Feedback

struct WebhookSecretTests {
  private func problem(_ text: String) -> String? {
    do {
      _ = try WebhookSecret.list(text)
      return nil
    } catch { return error.description }
  }

  // Signatures made by the Python library standardwebhooks 1.1.
  @Test func signsAsTheReferenceLibraryDoes() throws {
    let secret = try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    #expect(
      secret.signature(
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330,
        body: Array(#"{"test": 2432232314}"#.utf8)) == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    let long = try WebhookSecret(
      "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw==")
    #expect(
      long.signature(id: "evt_1", timestamp: 1_783_000_000, body: Array(#"{"a":"é"}"#.utf8))
        == "v1,N/vdy7d0KJ9qEJDvHybk2eLfj/7CTka7Lkda97GLDTI=")
  }

  @Test func acceptsSeveralSecretsForRotation() throws {
    let one = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    #expect(try WebhookSecret.list(one).count == 1)
    #expect(try WebhookSecret.list("\(one) \(one)").count == 2)
    #expect(try WebhookSecret.list(" \(one),\(one),, \(one) \n").count == 3)
    #expect(problem(Array(repeating: one, count: 5).joined(separator: ",")) != nil)
  }

  @Test(arguments: [
    ("", "is empty"), (" , ", "is empty"), ("c2VjcmV0", "does not begin with whsec_"),
    ("WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "does not begin with whsec_"),
    ("whsec_", "holds 0 bytes; 24 to 64 are needed"),
    ("whsec_c2VjcmV0", "holds 6 bytes; 24 to 64 are needed"),
    ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa", "is not Base64 (with its padding) after whsec_"),
    ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa_-", "is not Base64 (with its padding) after whsec_"),
    ("whsec_" + String(repeating: "A", count: 88), "holds 66 bytes; 24 to 64 are needed"),
  ]) func reportsWhatIsWrongWithoutQuotingIt(text: String, words: String) {
    #expect(problem(text) == words)
  }

  @Test func neverShowsItsKey() throws {
    let secret = try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    var dumped = ""
    dump(secret, to: &dumped)
    #expect("\(secret) \(String(reflecting: secret))" == "whsec_… whsec_…")
    #expect(!dumped.contains("49") && !dumped.contains("MfKQ"))
  }
}

struct WebhookURLTests {
  private func problem(_ text: String, private allowsPrivate: Bool = false) -> String? {
    do {
      _ = try WebhookURL(text, allowsPrivateAddresses: allowsPrivate)
      return nil
    } catch { return error.description }
  }

  @Test(arguments: [
    "https://hooks.example.com", "HTTPS://hooks.example.com:8443/a/b?c=d", "https://[2606:4700::1]/x",
  ]) func acceptsHTTPSAddresses(url: String) {
    #expect(problem(url) == nil)
  }

  @Test func acceptsPlainHTTPOnlyWherePrivateAddressesAreAllowed() {
    #expect(problem("http://127.0.0.1:9000/hook") != nil)
    #expect(problem("http://127.0.0.1:9000/hook", private: true) == nil)
  }

  @Test(arguments: [
    "https://[::1:1/x", "https://[::1]x/", "https://[]/", "https://[fe80::1%25eth0]/", "https://a:/",
    "https://a:b/",
    "https://a:70000/", "https://a:1:2/", "https://a..b/", "https://a%2Eb/", "https://a,b/",
    "", "hooks.example.com", "ftp://x", "https://", "https:///x", "https://:443/", "https://?x",
    "https://user@example.com/", "https://user:secret@example.com/", "https://a b/", "https://ä.example/",
    "https://example.com/#x", "https://example.com\\@10.0.0.1/", "https://example.com/\n",
    "file:///etc/passwd",
    "https://example.com/" + String(repeating: "x", count: 2048),
  ]) func rejectsEverythingElseWithoutQuotingIt(url: String) {
    for allowsPrivate in [false, true] {
      let words = problem(url, private: allowsPrivate)
      #expect(words != nil)
      #expect(words?.contains("secret") != true)
    }
  }
}
