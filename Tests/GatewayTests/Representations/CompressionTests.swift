import CZlib
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// Which answers are compressed, for whom, and that nothing else about them changes.
@Suite(.blocking) struct CompressionTests {
  private static let gzip = [("Accept-Encoding", "gzip, deflate, br")]

  /// The content of an answer, decompressed.
  private func content(_ answer: HTTPTestClient.Answer) throws -> [UInt8] {
    try #require(answer.header("Content-Encoding") == "gzip")
    var stream = z_stream()
    try #require(
      inflateInit2_(&stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK)
    defer { inflateEnd(&stream) }
    var (input, output) = (answer.body, [UInt8](repeating: 0, count: 4 << 20))
    let status = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
        (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
        return inflate(&stream, Z_FINISH)
      }
    }
    try #require(status == Z_STREAM_END && stream.avail_in == 0)
    return Array(output.prefix(Int(stream.total_out)))
  }

  @Test(arguments: [
    ("gzip", true), ("GZip", true), ("x-gzip", true), ("*", true), ("br, gzip;q=0.001", true),
    ("gzip ; q=1.000", true), ("identity;q=0.5, gzip;q=0.5", true), ("identity;q=0, *", true),
    ("deflate, br\t,\tgzip", true), ("identity;q=0, gzip", true), (",,gzip,", true),
    ("", false), ("identity", false), ("br", false), ("gzip;q=0", false), ("gzip;Q=0.000", false),
    ("*;q=0", false), ("*, gzip;q=0", false), ("gzip;q=0.4, identity;q=0.5", false),
    ("gzip;q=0.4, *", false), ("gzip;q=2", false), ("gzip;q=", false), ("gzip;level=9", false),
    ("gzippy", false), ("identity;q=0", false),
  ])
  func choosesACodingByWeight(_ field: String, isCompressed: Bool) throws {
    #expect((ContentCoding(preferredBy: head(["Accept-Encoding": field])) == .gzip) == isCompressed)
  }

  private func head(_ headers: HTTPHeaders) -> HTTPRequestHead {
    HTTPRequestHead(method: "GET", target: "/", headers: headers)
  }

  @Test func readsOneListFromSeveralFieldsAndNoMoreThanTwenty() throws {
    let coding = { ContentCoding(preferredBy: self.head($0)) }
    #expect(coding([:]) == .identity)
    #expect(coding(["Accept-Encoding": "br", "accept-encoding": "gzip"]) == .gzip)
    let many = String(repeating: "br,", count: 19)
    #expect(coding(["Accept-Encoding": "\(many)gzip"]) == .gzip)
    #expect(coding(["Accept-Encoding": "br,\(many)gzip"]) == .identity)
    #expect(coding(["Accept-Encoding": many, "accept-encoding": "br,gzip"]) == .identity)
  }

  @Test func compressesThePageAndItsFiles() async throws {
    try await GatewayFixture.run { fixture in
      var transferred = 0
      var languages: [Substring: Int] = [:]
      for path in ConsoleFiles.byPath.keys.map(\.text).sorted() {
        let plain = try fixture.client.get(path)
        #expect(plain.header("Content-Encoding") == nil && plain.header("Vary") == "Accept-Encoding")
        let compressed = try fixture.client.get(path, headers: Self.gzip)
        #expect(try content(compressed) == plain.body, "\(path)")
        #expect(compressed.header("Vary") == "Accept-Encoding")
        #expect(compressed.header("Content-Type") == plain.header("Content-Type"))
        #expect(compressed.header("Content-Length") == "\(compressed.body.count)")
        #expect(compressed.body.count < plain.body.count, "\(path)")
        if let language = path.wholeMatch(of: /.*\/([a-z]{2})\.js/)?.1 {
          languages[language, default: 0] += compressed.body.count
        } else {
          transferred += compressed.body.count
        }
        let head = try fixture.client.send("HEAD", path, headers: Self.gzip)
        #expect(head.body.isEmpty && head.header("Content-Length") == "\(compressed.body.count)")
        #expect(head.header("Content-Encoding") == "gzip")
      }
      #expect(languages.count == 9)
      transferred += languages["en", default: 0] + (languages.values.max() ?? 0)
      #expect(transferred < 150_000, "all views, in English and in the language that takes most")
    }
  }

  /// RFC 9110 §8.8.3.3: what differs in a byte has another strong validator.
  @Test func hasAnEntityTagForEachCoding() async throws {
    try await GatewayFixture.run { fixture in
      for path in ["/", "/v1/matrix"] {
        let plain = try #require(try fixture.client.get(path).header("ETag"))
        let compressed = try #require(try fixture.client.get(path, headers: Self.gzip).header("ETag"))
        #expect(plain != compressed && !compressed.hasPrefix("W/"))
        func status(_ tag: String, _ headers: [(String, String)]) throws -> Int {
          let answer = try fixture.client.get(path, headers: headers + [("If-None-Match", tag)])
          #expect(answer.header("Vary") == "Accept-Encoding")
          #expect(answer.header("ETag") == (headers.isEmpty ? plain : compressed))
          #expect(answer.status == 200 || answer.body.isEmpty && answer.header("Content-Encoding") == nil)
          return answer.status
        }
        #expect(try status(plain, []) == 304)
        #expect(try status(compressed, Self.gzip) == 304)
        #expect(try status("W/\(compressed)", Self.gzip) == 304)
        #expect(try status(plain, Self.gzip) == 200)
        #expect(try status(compressed, []) == 200)
      }
    }
  }

  @Test func compressesWhatContainsNothingOfARequest() async throws {
    try await GatewayFixture.run { fixture in
      for path in ["/v1/templates", "/v1/matrix", "/openapi.json"] {
        let plain = try fixture.client.get(path)
        let compressed = try fixture.client.get(path, headers: Self.gzip)
        #expect(try content(compressed) == plain.body, "\(path)")
        #expect(compressed.body.count < plain.body.count)
        #expect(compressed.header("Vary") == "Accept-Encoding")
        #expect(compressed.header("Cache-Control") == plain.header("Cache-Control"))
      }
      let past = try fixture.client.get("/v1/stats/history", headers: Self.gzip)
      #expect(try JSON.parse(try content(past))["app"] == "default")
      let posted = try fixture.client.post(
        "/v1/notifications", ["template": "welcome", "to": ["token": "t"], "args": ["name": "x"]],
        headers: Self.gzip)
      let id = try #require(posted.json["id"]?.string)
      let preview = try fixture.client.post(
        "/v1/templates/welcome/preview", ["args": ["name": "x"]], headers: Self.gzip)
      #expect(posted.status == 202 && preview.status == 200)
      let others = try [
        "/v1/notifications", "/v1/notifications/\(id)", "/v1/feedback", "/v1/stats", "/v1/templates/welcome",
        "/readyz", "/metrics", "/nope",
      ].map { try fixture.client.get($0, headers: Self.gzip) }
      for answer in others + [posted, preview] {
        #expect(answer.header("Content-Encoding") == nil && answer.header("Vary") == nil)
      }
    }
  }

  @Test func givesEachClientItsOwnTemplates() async throws {
    let clients = [("a", ["welcome"]), ("b", ["new_*"])].map { name, templates in
      ClientGrant(
        name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: [.preview], apps: nil,
        templates: templates, rate: nil)
    }
    try await GatewayFixture.run(adjust: { $0.auth.clients = clients }) { fixture in
      for (name, template) in [("a", "welcome"), ("b", "new_message"), ("a", "welcome")] {
        let key = [("Authorization", "Bearer key-\(name)")]
        let list = try JSON.parse(
          try content(try fixture.client.get("/v1/templates", headers: Self.gzip + key)))
        #expect(list["templates"]?.array?.map { $0["name"] } == [.string(template)])
        let document = try fixture.client.get("/openapi.json", headers: Self.gzip + key)
        #expect(document.header("Vary") == "Authorization, Accept-Encoding")
        #expect(try JSON.parse(try content(document))["openapi"] == "3.1.0")
      }
    }
  }

  @Test func givesAllWhoAskAtOnceTheSameBytes() async throws {
    try await GatewayFixture.run { fixture in
      let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
        for _ in 0..<8 {
          group.addTask { try fixture.client.get("/console/texts/ar.js", headers: Self.gzip).body }
        }
        return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
      }
      #expect(bodies.count == 1)
    }
  }
}
