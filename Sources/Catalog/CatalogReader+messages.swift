internal import FCMMessage
internal import JSON
internal import YAML

extension CatalogReader {
  /// Assembles each message that a template can produce (each slot's text and each variant) with the shortest
  /// args and checks it against FCM's rules, so that a template that FCM would always reject does not load.
  func checkMessages(of template: Template, _ overlay: Overlay, _ fields: MessageFields, _ key: YAMLField) {
    let owner = YAMLField(node: key.node, path: key.path, problems: problems)
    var root = overlay.root
    root = YAMLNode(root.kind, line: key.node.line, column: key.node.column)
    for values in sampleValues(template) {
      for settings in sampleSettings(template, values) {
        guard check(template.plan.message(values: values, settings: settings), fields, root, owner) else {
          key.report("produces a message that is not valid JSON")
          return
        }
      }
    }
  }

  /// Of a template of a Live Activity, a message for each event; without an alert none can start one.
  private func sampleSettings(_ template: Template, _ values: [ParamValue?]) -> [MessageSettings] {
    guard template.activity != nil else { return [MessageSettings()] }
    return ActivityEvent.allCases.filter { $0 != .start || template.plan.hasAlert(values) }.map {
      MessageSettings(activity: .example($0))
    }
  }

  /// False if the message is not valid JSON.
  private func check(
    _ sealed: SealedMessage, _ fields: MessageFields, _ root: YAMLNode, _ owner: YAMLField
  ) -> Bool {
    let bytes = sealed.message(to: .token("t"), values: .example(ttlSeconds: 60))
    guard let message = try? JSON.parse(bytes) else {
      return false
    }
    for violation in MessageRules.violations(inMessage: message) where violation.kind != .ineffective {
      // What a request's own value violates is that request's error.
      let path = violation.path.dropFirst()
      if fields.places.contains(where: { $0.isUnderRules && $0.path[...] == path }) { continue }
      report(violation, path: violation.path.dropFirst(), in: root, owner)
    }
    return true
  }

  /// Reports values of a param's `enum` and `default` that FCM rejects where the param stands.
  func checkDeclaredValues(of template: Template, _ fields: MessageFields, at path: FieldPath) {
    let base = template.params.map { $0.shortestValue(isField: true) }
    for place in fields.places {
      let param = template.params[place.use.param]
      for value in param.allowed ?? [param.defaultValue, param.example].compactMap(\.self) {
        var values = base
        values[place.use.param] = value
        let violation = template.plan.check.violations(values, MessageSettings()).first {
          $0.violation.path == place.path
        }
        guard let violation else { continue }
        problems.report(
          "cannot be \(value.text), which the param \(param.name) can be: \(violation.violation.reason)",
          at: place.node, path: place.path.appended(to: path))
      }
    }
  }

  /// The shortest values of the params, and for each variant the values that select it.
  private func sampleValues(_ template: Template) -> [[ParamValue]] {
    let base = template.shortestValues
    let chosen = template.slots.flatMap(\.variants).map { variant in
      zip(template.params, base).map { param, value in
        variant.conditions.first { $0.param.hasSameBytes(as: param.name) }?.value ?? value
      }
    }
    return [base] + chosen
  }
}

extension Param {
  /// An empty text often means an absent field to FCM, so a field has at least one character.
  func shortestValue(isField: Bool) -> ParamValue {
    if let allowed, let shortest = allowed.min(by: { $0.text.utf8.count < $1.text.utf8.count }) {
      return shortest
    }
    switch type {
    case .string: return .string(isField && lengthMax != 0 ? "x" : "")
    case .integer: return .integer(0)
    case .number: return .number(0, text: "0")
    case .boolean: return .boolean(true)
    case .date, .time, .datetime: return .shortest(of: type)
    }
  }
}
