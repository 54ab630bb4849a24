extension MessagePlan {
  /// An arg as texts show it: as a locale writes it if `args` has it, otherwise as given.
  func argText(_ param: Int, of values: [ParamValue?], _ args: ArgTexts) -> String {
    // No optional param fills a text.
    (values[param] ?? .string("")).directedText(as: args[param], isolates: isolates[param])
  }
}
