internal import HTTPServer

/// One file of the emulator's web page, which shows the inbox and the faults. The plugin EmbedFiles puts them
/// into the binary as `PageFiles.files`.
struct PageFile: Equatable, Sendable {
  let contentType: String
  let body: [UInt8]

  /// Only the emulator itself may serve code and styles, and answer the page's requests. No string can become
  /// markup or code (Content Security Policy Level 3, Trusted Types).
  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    + "require-trusted-types-for 'script'; trusted-types 'none'"

  init(path: String, text: String) {
    body = Array(text.utf8)
    contentType =
      switch path.split(separator: ".").last {
      case "html": "text/html; charset=utf-8"
      case "css": "text/css; charset=utf-8"
      case "js": "text/javascript; charset=utf-8"
      case "svg": "image/svg+xml"
      default: "text/plain; charset=utf-8"
      }
  }

  var response: HTTPResponse {
    HTTPResponse(
      status: 200,
      headers: [
        "Content-Type": contentType, "Cache-Control": "no-cache", "Content-Security-Policy": Self.policy,
        "Referrer-Policy": "no-referrer",
      ], body: body)
  }
}

/// The page's files.
enum PageFiles {
  /// By the path of the request for them; the page itself is at `/`.
  static let byPath = [String: PageFile](
    uniqueKeysWithValues: files.map { path, text in
      (path == "index.html" ? "/" : "/page/\(path)", PageFile(path: path, text: text))
    })
}
