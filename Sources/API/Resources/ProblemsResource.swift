internal import HTTPServer

/// `GET /problems/{slug}`: what a problem type means and what to do about it.
struct ProblemsResource: Sendable {
  func show(_ call: APICall) throws(APIError) {
    guard let type = ProblemType.all.first(where: { $0.slug == call.parameter }) else {
      throw APIError(.notFound, "There is no problem type with this name.")
    }
    call.respond(.text("\(type.title)\n\nStatus \(type.status). \(type.explanation)\n"))
  }
}
