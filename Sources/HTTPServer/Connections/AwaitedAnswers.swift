/// The answers of one connection that have not left, in the order of their requests, with their observers.
struct AwaitedAnswers {
  private struct Answer {
    let sequence: UInt64
    let observer: any HTTPAnswerObserver
    /// How much the connection has sent when the answer has left; nil while it is not yet in the output.
    var end: Int?
  }

  private var answers: [Answer] = []

  /// A request is answered later; its observer is told when that answer has left.
  mutating func append(sequence: UInt64, observer: (any HTTPAnswerObserver)?) {
    if let observer { answers.append(Answer(sequence: sequence, observer: observer)) }
  }

  /// The answer is in the output: it has left when the connection has sent `end` bytes.
  mutating func isReady(sequence: UInt64, end: Int) {
    if let index = answers.firstIndex(where: { $0.sequence == sequence }) { answers[index].end = end }
  }

  /// The connection has sent `count` bytes since it began.
  mutating func sent(_ count: Int) {
    while let end = answers.first?.end, end <= count { answers.removeFirst().observer.answerWasWritten() }
  }
}
