internal import Catalog
internal import CatalogCheck
internal import HTTPServer
internal import JSON
internal import Outbox

/// An error answer of the API: its problem type, the details of this occurrence, and all mistakes found in
/// the input.
package struct APIError: Error, Sendable {
  /// The problem type, which determines the status.
  let code: ProblemType
  /// One sentence for the caller.
  let detail: String
  /// The mistakes in the input, each with its place.
  var errors: InputErrors = []
  /// Further members of the answer's body.
  var members: [(key: String, value: JSON)] = []
  /// Headers that the answer carries.
  var headers: [(name: String, value: String)] = []
  /// The error below the API that caused this one.
  var underlying: (any Error)?

  init(_ code: ProblemType, _ detail: String, errors: InputErrors = [], underlying: (any Error)? = nil) {
    self.code = code
    self.detail = detail
    self.errors = errors
    self.underlying = underlying
    if code.status == 503 { headers.append(("Retry-After", "2")) }
    if code.status == 401 { headers.append(("WWW-Authenticate", "Bearer realm=\"dragoman\"")) }
  }

  /// The problem details object (RFC 9457 §3), with at most `errorsMax` mistakes.
  func json(errorsMax: Int = InputErrors.keptMax) -> JSON {
    var object = JSON.Object([
      ("type", .string(code.type)), ("title", .string(code.title)), ("status", JSON(code.status)),
      ("detail", .string(detail)),
    ])
    if !errors.isEmpty {
      let listed = errors.prefix(errorsMax)
      object.members.append(("errors", .array(listed.map(\.json))))
      if listed.count < errors.total { object.members.append(("errors_total", JSON(errors.total))) }
    }
    object.members.append(contentsOf: members)
    return .object(object)
  }

  /// The error as an answer.
  var response: HTTPResponse {
    var response = HTTPResponse.json(code.status, json().serialized, type: "application/problem+json")
    for header in headers { response.headers.add(header.name, header.value) }
    return response
  }
}

extension APIError {
  /// The error in the form of the route; nil for none that the API has.
  func response(to route: APIRoute?) -> HTTPResponse {
    guard route?.answersAsFCM == true else { return response }
    var response = HTTPResponse(google)
    for header in headers { response.headers.add(header.name, header.value) }
    return response
  }

  /// All mistakes of a request.
  static func invalid(_ errors: InputErrors) -> APIError {
    APIError(
      .invalidRequest, "The request has \(errors.total == 1 ? "a mistake" : "\(errors.total) mistakes").",
      errors: errors)
  }

  /// A body, or a part of it, that is not an object.
  static func notAnObject(_ detail: String, _ value: JSON, at pointer: JSONPointer = .root) -> APIError {
    APIError(
      .invalidRequest, detail,
      errors: [
        InputError(pointer: pointer, code: .wrongType, detail: "An object is expected, not \(value.kind).")
      ])
  }

  /// A message beyond FCM's limit.
  static func tooLarge(bytes: Int, limit: Int) -> APIError {
    var error = APIError(
      .messageTooLarge, "The message would have \(bytes) bytes, \(bytes - limit) more than FCM's \(limit).")
    error.members = [("message_bytes", JSON(bytes)), ("limit_bytes", JSON(limit))]
    return error
  }

  /// Texts that cannot be made for the recipient, about whom the answer says nothing.
  init(_ error: NotRenderableError, at pointer: JSONPointer) {
    var errors: InputErrors = []
    for slot in error.slots {
      errors.append(
        InputError(pointer: pointer.appending("template"), code: .invalid, detail: slot.reason))
    }
    self.init(
      .notRenderable, "The message has no text for \(error.names) that this recipient can be shown.",
      errors: errors,
      underlying: error)
  }

  /// A request for an app that there is not, or for none of several of which none is the default. `known` are
  /// the apps to choose from, `errors` the other mistakes of the request, which is at `pointer`.
  static func noApp(
    named name: String?, known: [String], errors: InputErrors, at pointer: JSONPointer = .root
  ) -> APIError {
    let place = pointer.appending("app")
    let names = known.isEmpty ? nil : known.joined(separator: ", ")
    let none = "The client may use no app."
    guard let name else {
      let detail = names.map { "No app is called default. Name one of the apps: \($0)." } ?? none
      return .invalid(errors + [InputError(pointer: place, code: .missing, detail: detail)])
    }
    let detail = names.map { "The apps are: \($0)." } ?? none
    let unknown = InputError(pointer: place, code: .unknown, detail: detail)
    return APIError(.unknownApp, "There is no app \"\(name)\".", errors: errors + [unknown])
  }

  /// A body that is not JSON.
  init(_ error: JSONParseError) {
    self.init(
      .malformedJSON, "At line \(error.line), column \(error.column): \(error.reason).", underlying: error)
    if !error.pointer.description.isEmpty { members.append(("pointer", .string(error.pointer.description))) }
  }

  /// A queue that did not perform the operation.
  init(_ error: OutboxError) {
    switch error.code {
    case .full:
      self.init(.queueFull, "The queue is full.", underlying: error)
    case .clientFull:
      self.init(.queueFull, "The queue holds too many deliveries of this client.", underlying: error)
    case .neverFits(let count, let limit):
      self.init(
        .queueFull,
        "The request makes \(count) deliveries wait, and no more than \(limit) may. Send fewer at a time.",
        underlying: error)
    case .closed: self.init(.shuttingDown, "The gateway is shutting down.", underlying: error)
    case .outcomeUnknown:
      self.init(
        .outcomeUnknown, "The queue did not confirm the write, which may have been kept.",
        underlying: error)
    case .damagedRecord:
      self.init(.damagedRecord, "The queue's record of this notification is damaged.", underlying: error)
    case .unavailable, .corrupt, .turnLost:
      self.init(.storageUnavailable, "The queue could not be read or written.", underlying: error)
    }
  }
}

extension InputError {
  /// The mistake as an element of `errors`.
  var json: JSON {
    [
      "pointer": .string(pointer.description), "code": .string(code.rawValue), "detail": .string(detail),
    ]
  }
}
