internal import FCMMessage
internal import HTTPServer
internal import JSON
internal import Synchronization

/// The access tokens that the emulator has issued.
struct IssuedTokens {
  /// The state of a bearer token.
  enum TokenState: Equatable {
    case valid, insufficientScope, expired, unknown
  }

  private struct Grant {
    /// Seconds since 1970.
    let expiresAt: Double
    let maySend: Bool
  }

  /// The lifetime of a token in seconds, the same as Google's `expires_in`.
  static let lifetimeSeconds = 3599

  private var grants: [String: Grant] = [:]
  /// A ring buffer in the order of issue; once it is full, `next` is the index of the oldest token.
  private var order: [String] = []
  private var next = 0

  /// Issues a token; `scopes` determine whether it may send.
  mutating func issue(scopes: [Substring], now: Double) -> String {
    let digits = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
    let token = "ya29.emulator-" + digits.joined()
    let prefix = "https://www.googleapis.com/auth/"
    let maySend = scopes.contains {
      $0 == "\(prefix)firebase.messaging" || $0 == "\(prefix)cloud-platform"
    }
    grants[token] = Grant(expiresAt: now + Double(Self.lifetimeSeconds), maySend: maySend)
    if order.count < EmulatorLimits.accessTokensMax {
      order.append(token)
    } else {
      grants[order[next]] = nil
      order[next] = token
      next = (next + 1) % order.count
    }
    return token
  }

  /// The state of a bearer token. `owner` and `emulator` are always valid.
  func state(of token: String, now: Double) -> TokenState {
    if token == "owner" || token == "emulator" { return .valid }
    guard let grant = grants[token] else { return .unknown }
    if now >= grant.expiresAt { return .expired }
    return grant.maySend ? .valid : .insufficientScope
  }
}

extension FCMEmulator {
  /// The error for a request that may not send; nil if it may.
  func authenticationError(of head: HTTPRequestHead) -> GoogleAPIError? {
    guard let header = head.headers["Authorization"], let token = bearerToken(in: header) else {
      return GoogleAPIError(
        status: 401, message: GoogleAPIError.missingCredentials,
        details: [GoogleAPIError.errorInfo(reason: "CREDENTIALS_MISSING")])
    }
    switch state.withLock({ $0.tokens.state(of: token, now: now()) }) {
    case .valid: return nil
    case .unknown: return GoogleAPIError(status: 401, message: GoogleAPIError.invalidCredentials)
    case .expired:
      return GoogleAPIError(
        status: 401, message: GoogleAPIError.invalidCredentials,
        details: [GoogleAPIError.errorInfo(reason: "ACCESS_TOKEN_EXPIRED")])
    case .insufficientScope:
      return GoogleAPIError(
        status: 403, message: "Request had insufficient authentication scopes.",
        details: [GoogleAPIError.errorInfo(reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT")])
    }
  }

  private func bearerToken(in header: String) -> String? {
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}
