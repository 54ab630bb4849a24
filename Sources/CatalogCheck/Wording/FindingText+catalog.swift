internal import AppStrings

extension FindingText {
  init(_ fault: FaultText, _ values: [any FindingValue] = []) { self.init(template: fault, values) }

  init(_ advice: AdviceText, _ values: [any FindingValue] = []) { self.init(template: advice, values) }
}
