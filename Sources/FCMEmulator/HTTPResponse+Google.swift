internal import FCMMessage
internal import HTTPServer
internal import JSON

extension HTTPResponse {
  init(_ error: GoogleAPIError) {
    self.init(status: error.status, json: error.json)
    if error.status == 401 { headers["WWW-Authenticate"] = "Bearer realm=\"https://accounts.google.com/\"" }
  }

  init(status: Int, json: JSON) { self.init(status: status, json: json.serialized) }

  init(status: Int, json: [UInt8]) {
    self.init(
      status: status,
      headers: ["Content-Type": "application/json; charset=UTF-8", "Cache-Control": "no-store"], body: json)
  }
}
