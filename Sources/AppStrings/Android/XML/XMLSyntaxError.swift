/// A place where a file is not well-formed XML, or exceeds a limit.
struct XMLSyntaxError: Error, Equatable {
  /// From 1.
  let line: Int
  /// What is wrong, in a sentence or two.
  let message: String
}
