internal import Dispatch
internal import FCMMessage
internal import HTTPServer
internal import JSON
internal import Synchronization
internal import Telemetry

/// The answer to a request, with the label under which it is counted.
struct EmulatorAnswer: Sendable {
  /// The response; nil to close the connection without one.
  let response: HTTPResponse?
  /// The label, such as `200` or `404 UNREGISTERED`.
  let label: String

  static let closed = EmulatorAnswer(response: nil, label: "closed")

  init(response: HTTPResponse?, label: String) {
    self.response = response
    self.label = label
  }

  init(_ error: GoogleErrorResponse, named name: String? = nil) {
    response = HTTPResponse(error)
    label = "\(error.status) \(name ?? error.code ?? GoogleErrorResponse.code(of: error.status))"
  }
}

extension FCMEmulator {
  /// `POST /v1/projects/{p}/messages:send`: authentication, then faults, then the schema, then the rules.
  func send(_ request: HTTPRequest, project: String, responder: HTTPResponder) {
    if let refusal = authenticationError(of: request.head) {
      return answer(EmulatorAnswer(refusal), after: 0, target: nil, responder: responder)
    }
    let parsed = Result { () throws(JSONParseError) in
      try JSON.parse(
        request.body, options: .init(depthMax: EmulatorLimits.jsonDepthMax, lastDuplicateWins: true))
    }
    let message = try? parsed.get()["message"]
    let target = message.flatMap(Target.init(ofMessage:))
    let fault = state.withLock { $0.faults.claim(for: target) }
    let latency = fault?.latencySeconds ?? 0
    if let forced = fault?.answer(to: target, project: project) {
      return answer(forced, after: latency, target: target, responder: responder)
    }
    let result: EmulatorAnswer
    switch parsed {
    case .success(let body): result = validate(body, project: project)
    case .failure(let error): result = EmulatorAnswer(.malformed(error))
    }
    answer(result, after: latency, target: target, responder: responder)
  }

  /// FCM's answer to a request with a JSON body.
  private func validate(_ body: JSON, project: String) -> EmulatorAnswer {
    guard body.object != nil else {
      return EmulatorAnswer(
        .schema([
          ("", "Invalid JSON payload received. Unknown name \"\": Root element must be a message.")
        ]))
    }
    let schemaViolations = MessageSchema.violations(in: body, of: .sendMessageRequest)
    guard schemaViolations.isEmpty else {
      return EmulatorAnswer(.schema(schemaViolations.map { ($0.field, $0.description) }))
    }
    let given = body["message"] ?? .null
    let message = given.isNull ? [:] : given
    // FCM accepts fields that have no effect on the device.
    let violations = MessageRules.violations(inMessage: message).filter { $0.kind != .ineffective }
    guard violations.isEmpty else { return EmulatorAnswer(.rules(violations)) }
    if validatesOnly(body) {
      let name = "projects/\(project)/messages/fake_message_id"
      return EmulatorAnswer(
        response: HTTPResponse(status: 200, json: ["name": .string(name)]), label: "200 validate_only")
    }
    return EmulatorAnswer(
      response: HTTPResponse(status: 200, json: ["name": .string(deliver(message, project: project))]),
      label: "200")
  }

  private func validatesOnly(_ body: JSON) -> Bool {
    let value = body.object?.members.last { $0.key == "validate_only" || $0.key == "validateOnly" }?.value
    return value?.bool == true || value?.string == "true"
  }

  /// Adds a message to the inbox; returns its name.
  private func deliver(_ message: JSON, project: String) -> String {
    let bytes = message.serialized
    let target = Target(ofMessage: message)
    let receivedAt = now()
    let milliseconds = Int64(exactly: (receivedAt * 1000).rounded(.down)) ?? 0
    return state.withLock { state in
      state.lastMessageNumber += 1
      let name =
        "projects/\(project)/messages/0:\(milliseconds)\(sixDigits(state.lastMessageNumber))"
      state.inbox.add(
        MessageInbox.Entry(
          name: name, project: project, receivedAt: receivedAt, target: target, message: bytes))
      return name
    }
  }

  private func sixDigits(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  /// Sends an answer after `seconds`, without occupying a thread.
  private func answer(
    _ answer: EmulatorAnswer, after seconds: Double, target: Target?, responder: HTTPResponder
  ) {
    let finish: @Sendable () -> Void = { [self] in
      state.withLock { $0.counters.countSend(answer.label) }
      log.debug(
        "message answered",
        [
          "answer": .string(answer.label), "target": .string(target?.field ?? "none"),
          "target_hash": .string(target.map { Redaction.shortHash($0.value) } ?? ""),
        ])
      if let response = answer.response { responder.respond(response) } else { responder.abort() }
    }
    if seconds > 0 {
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: finish)
    } else {
      finish()
    }
  }
}

extension Target {
  /// The target of FCM's `Message`, if it has one; the last one in the document, as on Google's servers.
  init?(ofMessage message: JSON) {
    let members = message.object?.members.reversed() ?? []
    let targets = members.lazy.compactMap { member in
      member.value.string.flatMap { Target(field: member.key, value: $0) }
    }
    guard let target = targets.first else { return nil }
    self = target
  }
}

extension GoogleErrorResponse {
  /// The error for a body that is not JSON.
  static func malformed(_ error: JSONParseError) -> GoogleErrorResponse {
    .schema([("", "Invalid JSON payload received. \(error.description)")])
  }

  /// The error of Google's JSON transcoding, which has no `FcmError` because FCM does not see the request.
  static func schema(_ violations: [(field: String, description: String)]) -> GoogleErrorResponse {
    GoogleErrorResponse(
      status: 400, message: violations.map(\.description).joined(separator: "\n"),
      details: [badRequest(violations)])
  }

  /// The error of FCM for a message that violates its rules.
  static func rules(_ violations: [MessageViolation]) -> GoogleErrorResponse {
    let isBadToken = violations.count == 1 && ["message.token", "message.fid"].contains(violations[0].field)
    let message =
      isBadToken
      ? "The registration token is not a valid FCM registration token"
      : violations.map(\.description).joined(separator: "\n")
    return GoogleErrorResponse(
      status: 400, message: message,
      details: [
        fcmError("INVALID_ARGUMENT"), badRequest(violations.map { ($0.field, $0.description) }),
      ])
  }
}
