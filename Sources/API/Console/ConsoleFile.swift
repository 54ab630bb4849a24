internal import Foundation
internal import HTTPServer
internal import JSON

/// The text files of the console's web page, in `Web`. The plugin EmbedFiles puts them into the binary as
/// `files`.
enum ConsoleFiles {
  /// The files by the path of the request for them; the page itself is at `/`.
  static let byPath = [ExactText: ConsoleFile](
    uniqueKeysWithValues: files.map { path, text in
      (ExactText(path == "index.html" ? "/" : "/console/\(path)"), ConsoleFile(path: path, text: text))
    })
}

/// One file of the console, as the gateway serves it.
struct ConsoleFile: Sendable {
  let contentType: String
  let body: [UInt8]
  /// A strong validator of the content (RFC 9110 §8.8.3).
  let entityTag: String

  /// Only the gateway itself may serve code and styles, and answer the page's requests. No string can become
  /// markup or code (Content Security Policy Level 3, Trusted Types).
  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    + "require-trusted-types-for 'script'; trusted-types 'none'"

  init(path: String, text: String) {
    body = Array(text.utf8)
    entityTag = "\"\(Data(sha256(body)).base64EncodedString().prefix(22))\""
    contentType =
      switch path.split(separator: ".").last {
      case "html": "text/html; charset=utf-8"
      case "css": "text/css; charset=utf-8"
      case "js": "text/javascript; charset=utf-8"
      case "svg": "image/svg+xml"
      default: "text/plain; charset=utf-8"
      }
  }

  /// The file, or 304 if the caller has it already (RFC 9110 §13.1.2).
  func response(to head: HTTPRequestHead) -> HTTPResponse {
    let headers: HTTPHeaders = [
      "Content-Type": contentType, "ETag": entityTag, "Cache-Control": "no-cache",
      "Content-Security-Policy": Self.policy, "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
    ]
    let isKnown = head.headers.values(of: "If-None-Match").contains { value in
      value.split(separator: ",").contains { known in
        let tag = known.trimmingCharacters(in: .whitespaces)
        return tag == "*" || tag == entityTag || tag == "W/\(entityTag)"
      }
    }
    return HTTPResponse(status: isKnown ? 304 : 200, headers: headers, body: isKnown ? [] : body)
  }
}
