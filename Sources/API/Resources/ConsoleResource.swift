internal import HTTPServer
internal import JSON

/// `GET /` and `GET /console/{folder}/{file}`: the console's page, and the files that it loads.
struct ConsoleResource: Sendable {
  let pool: WorkPool

  func show(_ call: APICall) throws(APIError) {
    guard let file = ConsoleFiles.byPath[ExactText(call.head.path)] else {
      throw APIError(.notFound, "The console has no such file.")
    }
    file.answer(call, on: pool)
  }
}
