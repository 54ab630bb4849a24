/// Divides each turn of an event loop among the clients of its connections. One that has used its share has
/// the rest of its requests read in the next turn, which begins at once, after what others have sent
/// meanwhile.
///
/// Deficit round-robin (Shreedhar and Varghese 1995): what a client used beyond its share counts in the next
/// turns.
struct LoopShares {
  enum Client: Hashable {
    /// By the key of its last request.
    case name(String)
    /// None is known yet.
    case address(ClientAddress?)
  }

  /// Requests of one client in a turn: about a millisecond.
  static let requestsPerTurn = 32

  private var used: [Client: Int] = [:]

  /// Gives each client its share of the next turn.
  mutating func beginTurn() {
    guard !used.isEmpty else { return }
    used = used.compactMapValues { $0 > Self.requestsPerTurn ? $0 - Self.requestsPerTurn : nil }
  }

  /// Whether a client keeps the loop busy. The loop then yields to threads that others wait for; each of them
  /// would otherwise have to wait for the end of the loop's time slice.
  var isUsedUp: Bool { used.values.contains { $0 >= Self.requestsPerTurn } }

  func hasShare(_ client: Client) -> Bool { used[client, default: 0] < Self.requestsPerTurn }

  /// Counts what a client has used, as a number of requests.
  mutating func charge(_ requests: Int, to client: Client) { used[client, default: 0] += requests }
}
