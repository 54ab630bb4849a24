/// A place where a file is not well-formed XML, or exceeds a limit.
struct XMLSyntaxError: Error, Equatable {
  /// From 1.
  let line: Int
  /// What is wrong, in a sentence or two.
  let text: FindingText

  init(line: Int, _ text: FindingText) { (self.line, self.text) = (line, text) }
}
