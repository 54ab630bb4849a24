internal import Clock
internal import HTTPClient
internal import JSON

/// A token that one step of a chain grants (RFC 6749 §5.1).
struct TokenGrant: Sendable, Equatable {
  let value: String
  let lifetimeSeconds: Int
  /// The new refresh token, if the service replaced the old one (RFC 6749 §6).
  var refreshToken: String?
}

/// Reads the responses of token services.
enum TokenAnswer {
  /// The lifetime assumed if the response names none; Google's always do.
  static let assumedLifetimeSeconds = 300
  /// No token is used for longer than a day without renewal.
  static let lifetimeSecondsMax = 86_400

  /// Reads an OAuth response (RFC 6749 §5). Errors begin with `peer`; `now` is in UNIX seconds.
  /// See `refusal` for `isOAuth`.
  static func read(
    _ response: TransportResponse, from peer: String, isOAuth: Bool = true, now: Int64
  ) -> Result<TokenGrant, TokenError> {
    guard response.status == 200 else {
      return .failure(refusal(response, from: peer, isOAuth: isOAuth, now: now))
    }
    guard let json = json(response.wholeBody) else { return .failure(unreadable(response, from: peer)) }
    guard let value = json["access_token"]?.string, !value.isEmpty else {
      // Google responds with an id_token alone to a scope that it does not know.
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

  /// A grant of an access token that is valid in a header.
  static func grant(
    _ value: String, lifetimeSeconds: Int, from peer: String
  ) -> Result<TokenGrant, TokenError> {
    // Anything else could end the Authorization header and begin another (RFC 6750 §2.1).
    guard value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return .failure(.permanent("\(peer)'s access token holds illegal characters", status: 200))
    }
    return .success(TokenGrant(value: value, lifetimeSeconds: lifetimeSeconds))
  }

  /// Why there is no token, with the message of an RFC 6749 error or a `google.rpc.Status`.
  /// An answer of another form is somebody else's if the peer is an OAuth endpoint.
  static func refusal(
    _ response: TransportResponse, from peer: String, isOAuth: Bool = true, now: Int64
  ) -> TokenError {
    let json = json(response.wholeBody)
    let name = json?["error"]?.string
    let description = json?["error_description"]?.string
    let google = json.flatMap(GoogleAPIStatus.init)
    if isOAuth, name == nil, google == nil {
      // Whoever answered it knows nothing of the credentials.
      let answer = ForeignAnswer(response)
      return .transient(
        answer.description(insteadOf: peer, without: []), status: response.status,
        retryAfterSeconds: RetryAfter.seconds(in: response, now: now),
        end: .withoutToken(.answer, answer.peer))
    }
    let words = [name ?? google?.status, description ?? google?.message].compactMap { $0 }
    let message =
      "\(peer) answered HTTP \(response.status)"
      + (words.isEmpty ? "" : ": " + words.joined(separator: ": "))
    let isTransient =
      response.status == 408 || response.status == 429 || response.status >= 500 || isTransientWord(name)
      || isTransientWord(description)
    guard isTransient else { return .permanent(message, status: response.status) }
    let seconds = RetryAfter.seconds(in: response, now: now)
    return .transient(message, status: response.status, retryAfterSeconds: seconds)
  }

  static func unreadable(_ response: TransportResponse, from peer: String) -> TokenError {
    let answer = ForeignAnswer(response)
    return .transient(
      answer.description(insteadOf: peer, without: []), status: response.status,
      end: .withoutToken(.answer, answer.peer))
  }

  static func json(_ body: [UInt8]) -> JSON? {
    do {
      return try JSON.parse(body, options: .init(lastDuplicateWins: true))
    } catch {
      return nil  // The parser's message could quote the token.
    }
  }

  /// A number, or a string that holds one: services send both.
  private static func lifetime(_ value: JSON?) -> Int {
    let seconds = value?.double ?? value?.string.flatMap(Double.init)
    guard let seconds, seconds.isFinite else { return assumedLifetimeSeconds }
    return Int(saturating: min(max(seconds, 0), Double(lifetimeSecondsMax)))
  }

  /// The errors after which Google's own libraries retry.
  private static func isTransientWord(_ word: String?) -> Bool {
    guard let word else { return false }
    return ["internal_failure", "server_error", "temporarily_unavailable"].contains {
      $0.hasSameBytes(as: word)
    }
  }
}
