internal import HTTPServer
internal import JSON

/// The text files of the console's web page, in `Web`. The plugin EmbedFiles puts them into the binary as
/// `files`.
enum ConsoleFiles {
  /// The files by the path of the request for them; the page itself is at `/`.
  static let byPath = [ExactText: Representation](
    uniqueKeysWithValues: files.map { path, text in
      (ExactText(path == "index.html" ? "/" : "/console/\(path)"), representation(of: text, path: path))
    })

  /// Only the gateway itself may serve code and styles, and answer the page's requests. Apps' icons are
  /// `data:`, because a drawing that becomes a picture must contain them. No string can become markup or code
  /// (Content Security Policy Level 3, Trusted Types).
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    + "require-trusted-types-for 'script'; trusted-types 'none'"

  private static func representation(of text: String, path: String) -> Representation {
    let headers: HTTPHeaders = [
      "Content-Type": contentType(of: path), "Cache-Control": "no-cache", "Content-Security-Policy": policy,
      "Referrer-Policy": "no-referrer",
    ]
    return Representation(
      HTTPResponse(status: 200, headers: headers, body: Array(text.utf8)), isRevalidated: true)
  }

  private static func contentType(of path: String) -> String {
    switch path.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "json": "application/json"
    case "svg": "image/svg+xml"
    default: "text/plain; charset=utf-8"
    }
  }
}
