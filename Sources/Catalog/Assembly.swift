package import FCMMessage
package import JSON

/// The parts of a request that determine its message, except for the targets.
package struct AssemblyRequest: Sendable {
  package var template: String
  package var args: JSON.Object
  package var data: JSON.Object?
  package var ttlSeconds: Int?
  package var priority: String?
  package var collapseKey: String?
  package var analyticsLabel: String?
  /// For a template of a Live Activity.
  package var activity: ActivityRequest?
  /// The target with the longest JSON text, for the size limit; nil if it is not known.
  package var longestTarget: Target?

  package init(
    template: String, args: JSON.Object = .init(), data: JSON.Object? = nil, ttlSeconds: Int? = nil,
    priority: String? = nil, collapseKey: String? = nil, analyticsLabel: String? = nil,
    activity: ActivityRequest? = nil, longestTarget: Target? = nil
  ) {
    self.activity = activity
    self.template = template
    self.args = args
    self.data = data
    self.ttlSeconds = ttlSeconds
    self.priority = priority
    self.collapseKey = collapseKey
    self.analyticsLabel = analyticsLabel
    self.longestTarget = longestTarget
  }
}

/// The message of a request, complete except for its target and its placeholders.
package struct AssembledMessage: Sendable {
  package let message: SealedMessage
  /// The ttl of the request, otherwise of the template, otherwise of `defaults`; nil if none is set.
  package let ttlSeconds: Int?
  package let priority: MessagePriority
  /// The size that counts against FCM's limit; see `Catalog.assemble`.
  package let byteCount: Int
}

/// The reason why no message can be assembled for a request.
package struct AssemblyError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    case unknownTemplate, invalidRequest, messageTooLarge
  }

  package let code: Code
  /// What is wrong with the request; not empty if and only if `code` is `invalidRequest`.
  package let inputErrors: InputErrors
  /// The size of the message; 0 unless `code` is `messageTooLarge`.
  package let byteCount: Int

  private init(_ code: Code, inputErrors: InputErrors = [], byteCount: Int = 0) {
    self.code = code
    self.inputErrors = inputErrors
    self.byteCount = byteCount
  }

  /// The catalog has no such template.
  package static let unknownTemplate = AssemblyError(.unknownTemplate)

  /// The request has errors.
  package static func invalid(_ errors: InputErrors) -> AssemblyError {
    AssemblyError(.invalidRequest, inputErrors: errors)
  }

  /// The message exceeds `SealedMessage.byteCountMax`.
  package static func tooLarge(byteCount: Int) -> AssemblyError {
    AssemblyError(.messageTooLarge, byteCount: byteCount)
  }

  /// For logs: names no template, param or value.
  package var description: String {
    switch code {
    case .unknownTemplate: "the catalog has no such template"
    case .invalidRequest: "the request has \(inputErrors.total) errors"
    case .messageTooLarge: "the message has \(byteCount) bytes, more than \(SealedMessage.byteCountMax)"
    }
  }
}

/// One error in a request.
package struct InputError: Sendable, Equatable {
  package enum Code: String, Sendable {
    case missing, unknown, invalid
    case wrongType = "wrong_type"
    case outOfRange = "out_of_range"
  }

  /// The location in the API's request, such as `/args/count`.
  package let pointer: JSONPointer
  package let code: Code
  /// The explanation for the caller. Holds names and limits, never the value itself.
  package let detail: String

  package init(pointer: JSONPointer, code: Code, detail: String) {
    self.pointer = pointer
    self.code = code
    self.detail = detail
  }
}

extension Catalog {
  /// Assembles the message of a request, or returns all errors of the request at once.
  ///
  /// FCM's size limit is 4,096 bytes, and its documentation does not define exactly what counts. Dragoman
  /// counts the whole `message` object as it is sent (compact UTF-8 JSON with braces, target, loc keys and
  /// webpush), with the longest values of its placeholders. That is never less than what FCM counts, so FCM
  /// does not reject a message for its size once it passes here.
  package func assemble(_ request: AssemblyRequest) -> Result<AssembledMessage, AssemblyError> {
    guard let template = template(request.template) else { return .failure(.unknownTemplate) }
    return template.assemble(request)
  }

  /// Checks a request like `assemble`, for callers that choose how the texts are written.
  package func prepare(_ request: AssemblyRequest) -> Result<PreparedMessage, AssemblyError> {
    guard let template = template(request.template) else { return .failure(.unknownTemplate) }
    return template.prepare(request)
  }
}

extension Template {
  /// Assembles the message of a request for this template; see `Catalog.assemble`.
  package func assemble(_ request: AssemblyRequest) -> Result<AssembledMessage, AssemblyError> {
    var check = RequestCheck(params: params)
    let values = check.args(request.args)
    let settings = check.settings(of: request, plan: plan, values)
    guard check.errors.isEmpty else { return .failure(.invalid(check.errors)) }
    let message = plan.message(values: values, settings: settings)
    return AssembledMessage.checked(
      message, to: request.longestTarget, ttlSeconds: settings.ttlSeconds ?? ttlSeconds,
      priority: settings.priority ?? priority ?? plan.defaultPriority(values))
  }

  /// Checks a request for this template; see `Catalog.prepare`.
  package func prepare(_ request: AssemblyRequest) -> Result<PreparedMessage, AssemblyError> {
    var check = RequestCheck(params: params)
    let values = check.args(request.args)
    let settings = check.settings(of: request, plan: plan, values)
    guard check.errors.isEmpty else { return .failure(.invalid(check.errors)) }
    return .success(PreparedMessage(template: self, values: values, settings: settings))
  }
}

extension AssembledMessage {
  /// The message, unless it is too large for FCM.
  static func checked(
    _ message: SealedMessage, to longestTarget: Target?, ttlSeconds: Int?, priority: MessagePriority
  ) -> Result<AssembledMessage, AssemblyError> {
    let byteCount = message.byteCount(to: longestTarget)
    guard byteCount <= SealedMessage.byteCountMax else {
      return .failure(.tooLarge(byteCount: byteCount))
    }
    return .success(
      AssembledMessage(
        message: message, ttlSeconds: ttlSeconds, priority: priority, byteCount: byteCount))
  }
}

/// Collects the errors of a request for one template.
private struct RequestCheck {
  let params: [Param]
  private(set) var errors = InputErrors()

  init(params: [Param]) { self.params = params }

  /// The values of the template's params, in their order; nil for optional ones that are left out. Incomplete
  /// if there are errors.
  mutating func args(_ args: JSON.Object) -> [ParamValue?] {
    let params = params
    // By index, here and below: a copy would count the references of all its parts.
    for index in args.members.indices where params.index(of: args.members[index].key) == nil {
      let key = args.members[index].key
      let suggests = errors.total < Self.suggestionsMax
      report(key, .unknown, Self.unknown(suggests ? key : nil, besides: params.map(\.name)))
    }
    var values: [ParamValue?] = []
    values.reserveCapacity(params.count)
    for index in params.indices {
      guard let arg = args[params[index].name] else {
        if let value = params[index].defaultValue {
          values.append(value)
        } else if params[index].isOptional {
          values.append(nil)
        } else {
          report(params[index].name, .missing, "this param has no default, so it must be given")
        }
        continue
      }
      switch params[index].read(arg) {
      case .success(let value): values.append(value)
      case .failure(let mismatch): report(params[index].name, mismatch.code, mismatch.detail)
      }
    }
    return values
  }

  /// Reports a start without an alert, which a phone does not show.
  mutating func activity(_ settings: MessageSettings, _ plan: MessagePlan, _ values: [ParamValue?]) {
    guard settings.activity?.event == .start, !plan.hasAlert(values) else { return }
    report(
      .root.appending("live_activity").appending("event"), .invalid,
      "only a message with an alert starts a Live Activity, and this template has no title and no body here")
  }

  /// Reports args that FCM rejects in the fields in which they stand.
  mutating func fields(_ violations: [ValueCheck.Violation]) {
    for violation in violations {
      let (param, found) = (params[violation.param], violation.violation)
      report(
        param.name, found.kind == .missing ? .missing : .invalid,
        "FCM rejects the value in \(found.field): \(found.reason)")
    }
  }

  /// The settings of a request, and what FCM says about args that stand in its fields.
  mutating func settings(
    of request: AssemblyRequest, plan: MessagePlan, _ values: [ParamValue?]
  ) -> MessageSettings {
    var settings = settings(of: request)
    if plan.check.isNeeded, errors.isEmpty {
      fields(plan.check.violations(values, settings))
      settings.ttlSeconds = settings.ttlSeconds ?? plan.check.ttlSeconds(values)
    }
    if plan.activity != nil, errors.isEmpty { activity(settings, plan, values) }
    return settings
  }

  private mutating func settings(of request: AssemblyRequest) -> MessageSettings {
    if let ttl = request.ttlSeconds, !(0...MessageRules.ttlSecondsMax).contains(ttl) {
      report(
        .root.appending("ttl"), .outOfRange, "must be between 0 and 28 days (\(MessageRules.ttlSecondsMax) s)"
      )
    }
    let priority = request.priority.flatMap { text in
      MessagePriority.allCases.first { $0.rawValue.hasSameBytes(as: text) }
    }
    if request.priority != nil, priority == nil {
      report(.root.appending("priority"), .invalid, "must be high or normal")
    }
    if let key = request.collapseKey, key.isEmpty {
      report(.root.appending("collapse_key"), .invalid, "must not be empty")
    }
    if let label = request.analyticsLabel, let problem = MessageRules.analyticsLabelProblem(label) {
      report(.root.appending("analytics_label"), .invalid, problem)
    }
    return MessageSettings(
      ttlSeconds: request.ttlSeconds, priority: priority, collapseKey: request.collapseKey,
      analyticsLabel: request.analyticsLabel, data: data(request.data), activity: request.activity)
  }

  private mutating func data(_ data: JSON.Object?) -> [(key: String, text: String)] {
    guard let data, !data.isEmpty else { return [] }
    let root = JSONPointer.root.appending("data")
    return data.compactMap { member in
      if let problem = MessageRules.dataKeyProblem(member.key) {
        report(root.appending(member.key), .invalid, problem)
      }
      guard let text = member.value.string else {
        report(root.appending(member.key), .wrongType, "must be a string, not \(member.value.kind)")
        return nil
      }
      return (member.key, text)
    }
  }

  /// The most args of a request for which similar params are sought, so that mistakes cost no more than data.
  private static let suggestionsMax = 3

  private static func unknown(_ arg: String?, besides names: [String]) -> String {
    if let nearest = arg.flatMap({ nearestName(to: $0, among: names) }) {
      return "the template has no such param; did you mean \(nearest)?"
    }
    let known = names.isEmpty ? "it has no params" : "its params are \(names.joined(separator: ", "))"
    return "the template has no such param; \(known)"
  }

  private mutating func report(_ arg: String, _ code: InputError.Code, _ detail: @autoclosure () -> String) {
    report(.root.appending("args").appending(arg), code, detail())
  }

  private mutating func report(
    _ pointer: @autoclosure () -> JSONPointer, _ code: InputError.Code, _ detail: @autoclosure () -> String
  ) {
    errors.append(InputError(pointer: pointer(), code: code, detail: detail()))
  }
}
