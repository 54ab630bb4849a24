package import JSON

/// The result of a check.
package struct QueueReport: Sendable {
  package let damage: DamageList
  /// What was verified.
  package let counts: QueueRecordCounts

  /// A line for each finding, and one for what was verified.
  package var text: String {
    let summary = damage.count == 0 ? "no damage; " : ""
    return (damage.lines + ["\(summary)verified: \(counts.text)"]).joined(separator: "\n")
  }

  package var json: JSON {
    ["damage": damage.json, "more": JSON(damage.more), "verified": counts.json]
  }
}

/// The result of a salvage.
package struct SalvageReport: Sendable {
  package let lost: DamageList
  /// What is in the new queue.
  package let counts: QueueRecordCounts

  /// A line for each loss, and one for what was kept.
  package var text: String {
    let summary = lost.count == 0 ? "nothing is lost; " : ""
    return (lost.lines.map { "lost: \($0)" } + ["\(summary)kept: \(counts.text)"]).joined(separator: "\n")
  }

  package var json: JSON {
    ["lost": lost.json, "more": JSON(lost.more), "kept": counts.json]
  }
}

extension DamageList {
  fileprivate var lines: [String] { listed.map(\.description) + (more > 0 ? ["and \(more) more"] : []) }

  fileprivate var json: JSON { .array(listed.map(\.json)) }
}

extension QueueRecordCounts {
  fileprivate var text: String {
    """
    \(notifications) notifications with \(deliveries) deliveries, \(waiting) of them waiting; \
    \(idempotencyRecords) idempotency keys; \(events) events of the feedback log
    """
  }

  fileprivate var json: JSON {
    [
      "notifications": JSON(notifications), "deliveries": JSON(deliveries), "waiting": JSON(waiting),
      "idempotency_keys": JSON(idempotencyRecords), "feedback_events": JSON(events),
    ]
  }
}
