/// `GET /`: the console.
struct ConsoleResource: Sendable {
  func show(_ call: APICall) { call.respond(ConsolePage.response) }
}
