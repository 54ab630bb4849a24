internal import HTTPServer
internal import Synchronization
internal import Telemetry

/// Counts failed logins by address: after a few, unknown keys are answered 429 and not logged one by one, so
/// that a caller with a wrong key is told to stop and cannot fill the log. It does not slow down guessing,
/// which is hopeless anyway: valid keys always pass, so that no client can lock out another behind the same
/// address.
final class LoginGuard: Sendable {
  /// Failures in a row that an address may have.
  static let failuresMax = 40.0
  /// Failures that an address regains each second.
  static let failuresPerSecond = 4.0
  /// Addresses that are remembered at once.
  static let addressesMax = 10_000

  private let log: Log
  private let rates = Mutex<[String: ClientRate]>([:])

  init(log: Log) { self.log = log }

  /// Records a failed login and returns what to answer: `error`, or 429 once the address has failed too
  /// often. Those are not logged one by one.
  func refusal(of error: APIError, _ head: HTTPRequestHead, _ origin: RequestOrigin) -> APIError {
    guard head.headers["Authorization"] != nil else { return error }
    let verdict = failed(head.peer)
    guard !verdict.isAllowed else {
      log.with(origin.fields).warning(
        "login failed", ["peer": .string(head.peer), "reason": .string(error.detail)])
      return error
    }
    var limited = APIError(.rateLimited, "The address tried too many unknown keys.")
    limited.headers.append(("Retry-After", String(verdict.secondsToNext)))
    return limited
  }

  /// The caller of a route that needs no key: the holder of the request's key, and anybody where there are no
  /// keys. An unknown key is recorded as a failed login and has no other effect.
  func reader(of call: APICall) -> Principal? {
    guard call.snapshot.authenticator.asksForKeys else { return .anonymous }
    guard call.head.headers["Authorization"] != nil else { return nil }
    do throws(APIError) {
      return try call.snapshot.authenticator.principal(of: call.head)
    } catch {
      _ = refusal(of: error, call.head, call.origin)
      return nil
    }
  }

  private func failed(_ peer: String) -> ClientRate.Verdict {
    let address = peer.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(peer[..<$0]) } ?? peer
    let rate = rates.withLock { rates in
      if let rate = rates[address] { return rate }
      // Forgetting all of them does no harm: each address only regains its failures.
      if rates.count >= Self.addressesMax { rates.removeAll(keepingCapacity: true) }
      let rate = ClientRate(perSecond: Self.failuresPerSecond, capacity: Self.failuresMax)
      rates[address] = rate
      return rate
    }
    return rate.take()
  }
}
