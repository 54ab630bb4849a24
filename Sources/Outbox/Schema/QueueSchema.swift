/// The tables of the queue, which both databases have. What one of them has alone is beside its connection.
///
/// There are no migrations yet: this is version 1. The next version adds its statements to `migrations` of
/// the store that it concerns (CONTRIBUTING.md, "Changing the queue's tables").
package enum QueueSchema {
  package static let version = 1

  /// Statements that bring a database from the version before to each version after the first, in order. They
  /// are never edited, only added to.
  static let migrations: [String] = []

  /// `key` declares a primary key whose values the database assigns, and `row` one whose values it does not.
  ///
  /// A delivery that is not final and that no gateway has claimed is in `dragoman_deliveries_waiting`.
  /// `claimed_by` is the lease under which it was claimed: in SQLite only where it was accepted as claimed.
  /// In `dragoman_counts`, state 2 counts claimed deliveries, which are counted under their own states as
  /// well; each gateway has rows of its own, so that no two wait for each other.
  static func tables(key: String, row: String) -> String {
    deliveries(key: key, row: row) + records(row: row)
  }

  private static func deliveries(key: String, row: String) -> String {
    """
    CREATE TABLE dragoman_apps (id \(key), name BYTEA NOT NULL UNIQUE);

    CREATE TABLE dragoman_notifications (
      row \(row),
      id UUID NOT NULL UNIQUE,
      app BIGINT NOT NULL,
      template BYTEA,
      client BYTEA,
      created_at BIGINT NOT NULL,
      priority BIGINT NOT NULL,
      ttl BIGINT NOT NULL,
      deliveries BIGINT NOT NULL,
      checksum BIGINT NOT NULL,
      trace BYTEA,
      message BYTEA NOT NULL
    );
    CREATE INDEX dragoman_notifications_by_client ON dragoman_notifications (client, row)
      WHERE client IS NOT NULL;

    CREATE TABLE dragoman_deliveries (
      row \(row),
      app BIGINT NOT NULL,
      priority BIGINT NOT NULL,
      state BIGINT NOT NULL,
      attempts BIGINT NOT NULL,
      next_attempt_at BIGINT,
      updated_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      claimed_by BIGINT,
      cancel_asked BIGINT NOT NULL,
      checksum BIGINT NOT NULL,
      id UUID NOT NULL,
      target_kind BIGINT NOT NULL,
      target BYTEA NOT NULL,
      message_name BYTEA,
      error_code BYTEA,
      error_status BIGINT,
      error_message BYTEA,
      error_apns_reason BYTEA,
      activity BYTEA,
      activity_event BIGINT,
      activity_at BIGINT,
      attempt_log BYTEA
    );
    CREATE INDEX dragoman_deliveries_waiting ON dragoman_deliveries (app, priority, next_attempt_at, row)
      WHERE state < 3 AND claimed_by IS NULL;
    CREATE INDEX dragoman_deliveries_scheduled ON dragoman_deliveries (app, next_attempt_at) WHERE state = 0;
    CREATE INDEX dragoman_deliveries_cancelled ON dragoman_deliveries (claimed_by) WHERE cancel_asked = 1;
    CREATE INDEX dragoman_deliveries_by_activity ON dragoman_deliveries (app, activity, activity_at)
      WHERE activity IS NOT NULL;
    CREATE INDEX dragoman_deliveries_by_error ON dragoman_deliveries (error_code, row)
      WHERE error_code IS NOT NULL;

    """
  }

  private static func records(row: String) -> String {
    """
    CREATE TABLE dragoman_counts (
      app BIGINT NOT NULL, lease BIGINT NOT NULL, state BIGINT NOT NULL, deliveries BIGINT NOT NULL,
      PRIMARY KEY (app, lease, state)
    );

    CREATE TABLE dragoman_idempotency (
      owner BYTEA NOT NULL,
      key BYTEA NOT NULL,
      fingerprint BYTEA NOT NULL,
      expires_at BIGINT NOT NULL,
      status BIGINT NOT NULL,
      headers BYTEA NOT NULL,
      body BYTEA NOT NULL,
      PRIMARY KEY (owner, key)
    );
    CREATE INDEX dragoman_idempotency_by_end ON dragoman_idempotency (expires_at);

    CREATE TABLE dragoman_feedback (
      id \(row),
      app BIGINT NOT NULL,
      target_kind BIGINT NOT NULL,
      target BYTEA NOT NULL,
      code BYTEA NOT NULL,
      notification UUID NOT NULL,
      at BIGINT NOT NULL,
      trace BYTEA,
      activity BYTEA,
      client BYTEA
    );
    CREATE INDEX dragoman_feedback_by_time ON dragoman_feedback (at);
    CREATE INDEX dragoman_feedback_by_client ON dragoman_feedback (client, id) WHERE client IS NOT NULL;

    CREATE TABLE dragoman_outcomes (
      id \(row),
      delivery BIGINT NOT NULL,
      state BIGINT NOT NULL,
      attempts BIGINT NOT NULL,
      code BYTEA,
      at BIGINT NOT NULL
    );

    CREATE TABLE dragoman_marks (name TEXT PRIMARY KEY, value BIGINT NOT NULL);
    INSERT INTO dragoman_marks (name, value) VALUES ('feedback', 0);
    """
  }
}
