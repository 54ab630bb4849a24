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
  private let entityTag: EntityTag

  /// Only the gateway itself may serve code and styles, and answer the page's requests. No string can become
  /// markup or code (Content Security Policy Level 3, Trusted Types).
  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    + "require-trusted-types-for 'script'; trusted-types 'none'"

  init(path: String, text: String) {
    body = Array(text.utf8)
    entityTag = EntityTag(of: body)
    contentType =
      switch path.split(separator: ".").last {
      case "html": "text/html; charset=utf-8"
      case "css": "text/css; charset=utf-8"
      case "js": "text/javascript; charset=utf-8"
      case "svg": "image/svg+xml"
      default: "text/plain; charset=utf-8"
      }
  }

  /// The file, or 304 if the caller has it already.
  func response(to head: HTTPRequestHead) -> HTTPResponse {
    let headers: HTTPHeaders = [
      "Content-Type": contentType, "Cache-Control": "no-cache",
      "Content-Security-Policy": Self.policy, "Referrer-Policy": "no-referrer",
    ]
    return entityTag.response(to: head, headers, body)
  }
}
