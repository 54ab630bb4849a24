internal import JSON

/// An access token as a token endpoint grants it (RFC 6749 §5.1).
struct TokenGrant: Sendable, Equatable {
  let value: String
  let lifetimeSeconds: Int
}

/// Why no token was granted.
struct TokenRefusal: Error, Sendable, Equatable {
  /// As those who wait for the token are told.
  let failure: SendFailure
  /// Whether asking again can help.
  var isTransient: Bool { failure.disposition != .permanent }

  /// Nothing can be sent until an operator acts.
  static func permanent(_ message: String, status: Int? = nil) -> TokenRefusal {
    TokenRefusal(
      failure: SendFailure(
        code: .authentication, httpStatus: status, message: FailureMessage.cleaned(message),
        disposition: .permanent, scope: .configuration))
  }

  /// The token endpoint, or the way to it, has trouble.
  static func transient(_ message: String, status: Int? = nil, retryAfterSeconds: Int? = nil) -> TokenRefusal
  {
    TokenRefusal(
      failure: SendFailure(
        code: .authentication, httpStatus: status, message: FailureMessage.cleaned(message),
        disposition: .retry, scope: .service, retryAfterSeconds: retryAfterSeconds))
  }
}

/// Reads a token endpoint's answer.
enum TokenAnswer {
  /// What a token is taken to live where the answer does not say; Google always does.
  static let assumedLifetimeSeconds = 300
  /// No token is trusted for longer than a day without being renewed.
  static let lifetimeSecondsMax = 86_400

  /// `now` is UNIX seconds by the wall clock.
  static func read(
    status: Int, retryAfter: String?, body: [UInt8], now: Int64
  ) -> Result<TokenGrant, TokenRefusal> {
    let json: JSON?
    do {
      json = try JSON.parse(body, options: .init(lastDuplicateWins: true))
    } catch {
      json = nil
    }
    if status == 200 { return granted(json) }
    let name = json?["error"]?.string
    let description = json?["error_description"]?.string
    let words = [name, description].compactMap { $0 }.joined(separator: ": ")
    let message = "the token endpoint answered HTTP \(status)" + (words.isEmpty ? "" : ": \(words)")
    let isTransient =
      status == 408 || status == 429 || status >= 500 || isTransientWord(name)
      || isTransientWord(description)
    guard isTransient else { return .failure(.permanent(message, status: status)) }
    let seconds = retryAfter.flatMap { RetryAfter.seconds($0, now: now) }
    return .failure(.transient(message, status: status, retryAfterSeconds: seconds))
  }

  private static func granted(_ json: JSON?) -> Result<TokenGrant, TokenRefusal> {
    guard let json else {
      return .failure(.transient("the token endpoint's answer is not JSON", status: 200))
    }
    guard let value = json["access_token"]?.string, !value.isEmpty else {
      // So Google answers to a scope that it does not know.
      let hasIDToken = json["id_token"]?.string != nil
      let message = "the token endpoint answered without an access_token"
      return .failure(.permanent(hasIDToken ? message + ", with an id_token" : message, status: 200))
    }
    // Anything else could end the Authorization header and begin another (RFC 6750 §2.1).
    guard value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return .failure(.permanent("the token endpoint's access_token holds illegal characters", status: 200))
    }
    return .success(TokenGrant(value: value, lifetimeSeconds: lifetime(json["expires_in"])))
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
