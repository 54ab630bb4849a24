internal import Foundation
internal import HTTPServer

/// A strong validator of an answer's content (RFC 9110 §8.8.3).
struct EntityTag: Sendable {
  let text: String

  init(of body: [UInt8]) { text = "\"\(Data(sha256(body)).base64EncodedString().prefix(22))\"" }

  /// The answer 200 with the body, or 304 if the caller has it already (RFC 9110 §13.1.2).
  func response(to head: HTTPRequestHead, _ headers: HTTPHeaders, _ body: [UInt8]) -> HTTPResponse {
    var headers = headers
    headers.add("ETag", text)
    let isKnown = isKnown(to: head)
    return HTTPResponse(status: isKnown ? 304 : 200, headers: headers, body: isKnown ? [] : body)
  }

  /// The tags that one field may list; those beyond count as unknown.
  private static let listedMax = 100

  private func isKnown(to head: HTTPRequestHead) -> Bool {
    let comma = UInt8(ascii: ",")
    return head.headers.values(of: "If-None-Match").contains { value in
      value.utf8.split(separator: comma, maxSplits: Self.listedMax).prefix(Self.listedMax).contains {
        listed in
        var tag = listed.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = tag.last, last == 0x20 || last == 0x09 { tag = tag.dropLast() }
        if tag.elementsEqual("*".utf8) { return true }
        if tag.starts(with: "W/".utf8) { tag = tag.dropFirst(2) }
        return tag.elementsEqual(text.utf8)
      }
    }
  }
}
