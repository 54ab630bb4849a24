internal import Foundation
internal import HTTPServer

/// The console: one page without dependencies, which calls the API with the key that the reader enters.
enum ConsolePage {
  /// The page. Its policy allows only its own script and style, by their hashes, and only requests to its own
  /// gateway (Content Security Policy Level 3).
  static let response: HTTPResponse = {
    let script = hash(of: "script")
    let style = hash(of: "style")
    let policy =
      "default-src 'none'; script-src '\(script)'; style-src '\(style)'; connect-src 'self'; base-uri 'none'; "
      + "form-action 'none'; frame-ancestors 'none'"
    return HTTPResponse(
      status: 200,
      headers: [
        "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache",
      ],
      body: Array(text.utf8))
  }()

  /// The hash of the page's one element of that name, as a policy names it.
  private static func hash(of element: String) -> String {
    let start = text.range(of: "<\(element)>")?.upperBound ?? text.endIndex
    let end = text.range(of: "</\(element)>")?.lowerBound ?? text.endIndex
    let content = start < end ? Array(text[start..<end].utf8) : []
    return "sha256-\(Data(sha256(content)).base64EncodedString())"
  }
}
