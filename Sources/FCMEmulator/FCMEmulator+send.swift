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

  init(_ error: GoogleAPIError, named name: String? = nil) {
    response = HTTPResponse(error)
    label = "\(error.status) \(name ?? error.code ?? GoogleAPIError.code(of: error.status))"
  }
}

extension FCMEmulator {
  /// `POST /v1/projects/{p}/messages:send`: authentication, then faults, then the schema, then the rules.
  func send(_ request: HTTPRequest, project: String, responder: HTTPResponder) {
    if let refusal = authenticationError(of: request.head) {
      return answer(EmulatorAnswer(refusal), after: 0, target: nil, responder: responder)
    }
    let parsed = Result { () throws(JSONParseError) in
      try JSON.parse(request.body, options: SendMessageRequest.parseOptions)
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
    let request: SendMessageRequest
    do throws(GoogleAPIError) {
      request = try SendMessageRequest(body)
    } catch {
      return EmulatorAnswer(error)
    }
    let name =
      request.validatesOnly
      ? "projects/\(project)/messages/fake_message_id" : deliver(request.message, project: project)
    return EmulatorAnswer(
      response: HTTPResponse(status: 200, json: ["name": .string(name)]),
      label: request.validatesOnly ? "200 validate_only" : "200")
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
