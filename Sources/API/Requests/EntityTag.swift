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

  private func isKnown(to head: HTTPRequestHead) -> Bool {
    head.headers.values(of: "If-None-Match").contains { value in
      value.split(separator: ",").contains { known in
        let tag = known.trimmingCharacters(in: .whitespaces)
        return tag == "*" || tag == text || tag == "W/\(text)"
      }
    }
  }
}
