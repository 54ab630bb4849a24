internal import FCMMessage
internal import JSON
internal import YAML

extension CatalogReader {
  /// Assembles each message that a template can produce (each slot's text and each variant) with the shortest
  /// args and checks it against FCM's rules, so that a template that FCM would always reject does not load.
  func checkMessages(of template: Template, _ overlay: Overlay, _ key: YAMLField) {
    let owner = YAMLField(node: key.node, path: key.path, problems: problems)
    var root = overlay.root
    root = YAMLNode(root.kind, line: key.node.line, column: key.node.column)
    for values in sampleValues(template) {
      let sealed = template.plan.message(values: values, settings: MessageSettings())
      let bytes = sealed.message(to: .token("t"), values: .example(ttlSeconds: 60))
      guard let message = try? JSON.parse(bytes) else {
        key.report("produces a message that is not valid JSON")
        return
      }
      for violation in MessageRules.violations(inMessage: message) where violation.kind != .ineffective {
        report(violation, path: violation.path.dropFirst(), in: root, owner)
      }
    }
  }

  /// The shortest values of the params, and for each variant the values that select it.
  private func sampleValues(_ template: Template) -> [[ParamValue]] {
    let base = template.params.map(\.shortestValue)
    let chosen = template.slots.flatMap(\.variants).map { variant in
      zip(template.params, base).map { param, value in
        variant.conditions.first { $0.param.hasSameBytes(as: param.name) }?.value ?? value
      }
    }
    return [base] + chosen
  }
}

extension Param {
  fileprivate var shortestValue: ParamValue {
    if let allowed, let shortest = allowed.min(by: { $0.text.utf8.count < $1.text.utf8.count }) {
      return shortest
    }
    switch type {
    case .string: return .string("")
    case .integer: return .integer(0)
    case .number: return .number(0, text: "0")
    case .boolean: return .boolean(true)
    }
  }
}
