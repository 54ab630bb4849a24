internal import HTTPClient
internal import JSON

/// A token as one step of a chain grants it (RFC 6749 §5.1).
struct TokenGrant: Sendable, Equatable {
  let value: String
  let lifetimeSeconds: Int
  /// The one to use from now on, where the old one was replaced (RFC 6749 §6).
  var refreshToken: String?
}

/// Reads a token endpoint's answer.
enum TokenAnswer {
  /// What a token is taken to live where the answer does not say; Google always does.
  static let assumedLifetimeSeconds = 300
  /// No token is trusted for longer than a day without being renewed.
  static let lifetimeSecondsMax = 86_400

  /// An OAuth answer (RFC 6749 §5). `peer` begins the errors; `now` is UNIX seconds by the wall clock.
  static func read(
    _ response: TokenResponse, from peer: String, now: Int64
  ) -> Result<TokenGrant, TokenError> {
    guard response.status == 200 else { return .failure(refusal(response, from: peer, now: now)) }
    guard let json = json(response.body) else { return .failure(unreadable(from: peer)) }
    guard let value = json["access_token"]?.string, !value.isEmpty else {
      // So Google answers to a scope that it does not know.
      let hasIDToken = json["id_token"]?.string != nil
      let message = "\(peer) answered without an access_token"
      return .failure(.permanent(hasIDToken ? message + ", with an id_token" : message, status: 200))
    }
    return grant(value, lifetimeSeconds: lifetime(json["expires_in"]), from: peer).map { grant in
      var grant = grant
      grant.refreshToken = json["refresh_token"]?.string
      return grant
    }
  }

  /// An access token that can stand in a header.
  static func grant(
    _ value: String, lifetimeSeconds: Int, from peer: String
  ) -> Result<TokenGrant, TokenError> {
    // Anything else could end the Authorization header and begin another (RFC 6750 §2.1).
    guard value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return .failure(.permanent("\(peer)'s access token holds illegal characters", status: 200))
    }
    return .success(TokenGrant(value: value, lifetimeSeconds: lifetimeSeconds))
  }

  /// Why there is no token: the words of an RFC 6749 error or of a `google.rpc.Status`. What is not JSON is not
  /// quoted.
  static func refusal(_ response: TokenResponse, from peer: String, now: Int64) -> TokenError {
    let json = json(response.body)
    let name = json?["error"]?.string
    let description = json?["error_description"]?.string
    let google = json.flatMap(GoogleRPCStatus.init)
    let words = [name ?? google?.status, description ?? google?.message].compactMap { $0 }
    let message =
      "\(peer) answered HTTP \(response.status)"
      + (words.isEmpty ? "" : ": " + words.joined(separator: ": "))
    let isTransient =
      response.status == 408 || response.status == 429 || response.status >= 500 || isTransientWord(name)
      || isTransientWord(description)
    guard isTransient else { return .permanent(message, status: response.status) }
    let seconds = response.retryAfter.flatMap { RetryAfter.seconds($0, now: now) }
    return .transient(message, status: response.status, retryAfterSeconds: seconds)
  }

  static func unreadable(from peer: String) -> TokenError {
    .transient("\(peer)'s answer is not JSON", status: 200)
  }

  static func json(_ body: [UInt8]) -> JSON? {
    do {
      return try JSON.parse(body, options: .init(lastDuplicateWins: true))
    } catch {
      return nil  // Its words could be the token's.
    }
  }

  /// A number, or one in a string: both are seen.
  private static func lifetime(_ value: JSON?) -> Int {
    let seconds = value?.double ?? value?.string.flatMap(Double.init)
    guard let seconds, seconds.isFinite else { return assumedLifetimeSeconds }
    return Int(min(max(seconds, 0), Double(lifetimeSecondsMax)))
  }

  /// The words that Google's own libraries ask again for.
  private static func isTransientWord(_ word: String?) -> Bool {
    guard let word else { return false }
    return ["internal_failure", "server_error", "temporarily_unavailable"].contains {
      $0.hasSameBytes(as: word)
    }
  }
}
