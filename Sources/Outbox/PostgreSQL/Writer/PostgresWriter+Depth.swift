import JSON

/// How many deliveries the queue and some of its clients have, as of the last commits of all replicas.
struct Room {
  let depth: Int
  /// Of the clients of the works, if one of them may exceed its share.
  let clients: [ExactText?: Int]

  init(_ depth: Int, clients: [ExactText?: Int] = [:]) {
    self.depth = depth
    self.clients = clients
  }

  /// `depth` is that of the queue. A client's share matters only in a queue that holds more than one share.
  init(_ depth: Int, of works: [NewWork], _ writer: PostgresWriter) throws(PostgresError) {
    guard works.contains(where: { !$0.notifications.isEmpty }) else {
      self.init(0)
      return
    }
    let count = works.reduce(0) { $0 + $1.deliveryCount }
    let mayExceed = depth + count > writer.configuration.clientDepthMax
    self.init(depth, clients: mayExceed ? try writer.depths(of: works.map(\.client)) : [:])
  }
}

extension PostgresWriter {
  /// Deliveries that are not final, of all replicas, as of their last commits.
  func depth() throws(PostgresError) -> Int { Int(try connection.run(Self.readingDepth).value ?? 0) }

  /// The statement that reads it.
  static let readingDepth = PostgresBatch.Statement(
    sql: "SELECT coalesce(sum(deliveries), 0)::bigint FROM dragoman_counts WHERE state IN (0, 1)", values: [])

  /// Those of each of `clients`.
  func depths(of clients: [String?]) throws(PostgresError) -> [ExactText?: Int] {
    let names = Set(clients.map { $0.map(ExactText.init) })
    let byOwner = Dictionary(
      names.map { (PostgresIdempotency.owner($0), $0) }, uniquingKeysWith: { first, _ in first })
    let sums = try connection.run(
      """
      SELECT client AS owner, sum(deliveries)::bigint AS deliveries FROM dragoman_client_counts
      WHERE client = ANY ($1::bytea[]) GROUP BY client
      """, [.blobs(Array(byOwner.keys))])
    var depths: [ExactText?: Int] = [:]
    for row in sums.rows {
      if let name = byOwner[row.bytes(.owner)] { depths[name] = Int(row.integer(.deliveries)) }
    }
    return depths
  }

  /// The error if `count` more deliveries of a client would exceed the depth, or its share of it.
  func full(
    adding count: Int, of client: String?, _ room: Room, _ transaction: PostgresTransaction
  ) -> OutboxError? {
    let depth = room.depth + transaction.depth
    guard count > 0 else { return nil }
    if depth + count > configuration.depthMax {
      return .full(depth, adding: count, of: configuration.depthMax)
    }
    let name = client.map(ExactText.init)
    let own = room.clients[name, default: 0] + transaction.clients[name, default: 0]
    return own + count <= configuration.clientDepthMax
      ? nil : .clientFull(own, adding: count, of: configuration.clientDepthMax)
  }

  /// The client of each of some deliveries, by row.
  func clients(of rows: [Int64]) throws(PostgresError) -> [Int64: String] {
    guard !rows.isEmpty else { return [:] }
    let found = try connection.run(
      """
      SELECT x.row, n.client FROM unnest($1::bigint[]) AS x(row)
        JOIN dragoman_notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "x.row"))
      WHERE n.client IS NOT NULL
      """, [.integers(rows)])
    var clients: [Int64: String] = [:]
    for row in found.rows { clients[row.integer(.row)] = row.text(.client) }
    return clients
  }

  /// Adds a transaction's changes to the counts of this replica, at the end of `batch`.
  func addCounts(of transaction: PostgresTransaction, to batch: inout PostgresBatch) {
    var rows: [(app: Int64, state: Int, delta: Int)] = []
    for (app, deltas) in transaction.counts.sorted(by: { $0.key < $1.key }) {
      for (state, delta) in deltas.enumerated() where delta != 0 { rows.append((app, state, delta)) }
    }
    let clients = transaction.clients.filter { $0.value != 0 }.sorted {
      ($0.key?.text ?? "") < ($1.key?.text ?? "")
    }
    guard !rows.isEmpty || !clients.isEmpty else { return }
    batch.add(
      """
      WITH clients AS (
        INSERT INTO dragoman_client_counts (client, replica, deliveries)
        SELECT x.client, $4, x.delta FROM unnest($5::bytea[], $6::bigint[]) AS x(client, delta)
        ON CONFLICT (client, replica)
          DO UPDATE SET deliveries = dragoman_client_counts.deliveries + excluded.deliveries)
      INSERT INTO dragoman_counts (app, replica, state, deliveries)
      SELECT x.app, $4, x.state, x.delta
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS x(app, state, delta)
      ON CONFLICT (app, replica, state)
        DO UPDATE SET deliveries = dragoman_counts.deliveries + excluded.deliveries
      """,
      [
        .integers(rows.map(\.app)), .integers(rows.map { Int64($0.state) }),
        .integers(rows.map { Int64($0.delta) }), .integer(memory.replica),
        .blobs(clients.map { PostgresIdempotency.owner($0.key) }),
        .integers(clients.map { Int64($0.value) }),
      ])
  }
}
