package import Clock

/// What a gateway did in an interval, as a text that only those who chart it read.
package struct HistorySample: Sendable, Equatable {
  package let at: Timestamp
  package let content: String

  package init(at: Timestamp, content: String) {
    self.at = at
    self.content = content
  }
}

/// Where a series of samples is kept, and what of it is asked for.
package struct HistoryQuestion: Sendable {
  let intervalSeconds: Int
  /// Older samples are removed.
  let oldest: Timestamp
  /// The samples that are asked for begin here.
  let since: Timestamp

  package init(intervalSeconds: Int, oldest: Timestamp, since: Timestamp) {
    self.intervalSeconds = intervalSeconds
    self.oldest = oldest
    self.since = since
  }
}

/// Through which the gateways that share a database keep what they did, over their restarts.
package protocol SharedHistory: Sendable {
  /// Keeps a sample of this gateway, if there is one, and answers with the samples of all gateways, oldest
  /// first; with nil while the database is away. Returns at once.
  func exchange(
    _ sample: HistorySample?, _ question: HistoryQuestion,
    completion: @escaping @Sendable (_ samples: [HistorySample]?) -> Void)
}
