internal import HTTPServer
internal import JSON
internal import Synchronization

/// The access tokens that the emulator issued.
struct AccessTokens {
  enum Verdict: Equatable {
    case valid, insufficientScope, expired, unknown
  }

  private struct Grant {
    /// Seconds since 1970.
    let expiresAt: Double
    let maySend: Bool
  }

  /// Seconds that a token lives, as Google's `expires_in` has it.
  static let lifetimeSeconds = 3599

  private var grants: [String: Grant] = [:]
  /// In the order of their issue: once it is full, `next` is the place of the oldest.
  private var order: [String] = []
  private var next = 0

  /// A new token; `scopes` decide whether it may send.
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

  /// What a bearer token is worth. `owner` and `emulator` are always good.
  func verdict(on token: String, now: Double) -> Verdict {
    if token == "owner" || token == "emulator" { return .valid }
    guard let grant = grants[token] else { return .unknown }
    if now >= grant.expiresAt { return .expired }
    return grant.maySend ? .valid : .insufficientScope
  }
}

extension FCMEmulator {
  /// Why a request may not send; nil when it may.
  func authenticationError(of head: HTTPRequestHead) -> GoogleError? {
    guard let header = head.headers["Authorization"], let token = bearerToken(in: header) else {
      return GoogleError(
        status: 401, message: GoogleError.missingCredentials,
        details: [GoogleError.errorInfo(reason: "CREDENTIALS_MISSING")])
    }
    switch state.withLock({ $0.tokens.verdict(on: token, now: now()) }) {
    case .valid: return nil
    case .unknown: return GoogleError(status: 401, message: GoogleError.invalidCredentials)
    case .expired:
      return GoogleError(
        status: 401, message: GoogleError.invalidCredentials,
        details: [GoogleError.errorInfo(reason: "ACCESS_TOKEN_EXPIRED")])
    case .insufficientScope:
      return GoogleError(
        status: 403, message: "Request had insufficient authentication scopes.",
        details: [GoogleError.errorInfo(reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT")])
    }
  }

  private func bearerToken(in header: String) -> String? {
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}
