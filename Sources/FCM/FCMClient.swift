internal import Clock
internal import Dispatch
package import GoogleAuth
package import HTTPClient
internal import JSON
internal import Synchronization
package import Telemetry

/// How one app reaches FCM: project, endpoint, credentials, trust and timeout.
package struct FCMAppConfiguration: Sendable {
  package static let googleEndpoint = "https://fcm.googleapis.com"

  package var projectID: String
  /// FCM's base address; see `EndpointURL.problem(_:)` for what it must be.
  package var endpoint: String
  package var credentials: Credentials
  /// Certificates to trust instead of the system's; nil for those.
  package var caFile: String?
  package var requestTimeout: Duration

  package init(
    projectID: String, endpoint: String = googleEndpoint, credentials: Credentials, caFile: String? = nil,
    requestTimeout: Duration = .seconds(10)
  ) {
    self.projectID = projectID
    self.endpoint = endpoint
    self.credentials = credentials
    self.caFile = caFile
    self.requestTimeout = requestTimeout
  }
}

/// Sends one app's messages to FCM HTTP v1 (`projects.messages.send`).
package final class FCMClient: MessageSender, Sendable {
  private let destination: Destination
  private let transport: HTTPTransport
  private let tokens: AccessTokens
  private let skew = ClockSkew()
  private let isShutDown = Atomic<Bool>(false)

  /// `onRefusedCredentials` is called each time that a token service refuses them.
  package init(
    configuration: FCMAppConfiguration, transport: HTTPTransport, log: Log,
    onRefusedCredentials: @escaping @Sendable () -> Void = {}
  ) {
    let base = EndpointURL.withoutTrailingSlashes(configuration.endpoint)
    let project = EndpointURL.pathSegment(configuration.projectID)
    self.transport = transport
    destination = Destination(
      url: "\(base)/v1/projects/\(project)/messages:send", caFile: configuration.caFile,
      timeout: configuration.requestTimeout)
    tokens = AccessTokens(
      configuration.credentials, scope: OAuthScope.messaging, over: transport,
      route: TokenRoute(caFile: configuration.caFile, timeout: configuration.requestTimeout), skew: skew,
      log: log, onRefusal: onRefusedCredentials)
  }

  package func send(_ body: [UInt8], completion: @escaping @Sendable (SendOutcome) -> Void) {
    send(body, trace: nil, atDeparture: { body }, completion: completion)
  }

  package func send(
    _ body: [UInt8], trace: TraceContext?, atDeparture: @escaping @Sendable () -> [UInt8]?,
    completion: @escaping @Sendable (SendOutcome) -> Void
  ) {
    let message = Message(body: body, trace: trace, atDeparture: atDeparture)
    if let token = tokens.current { return post(message, with: token, mayRefresh: true, completion) }
    tokens.token { [self] result in
      switch result {
      case .success(let token): post(message, with: token, mayRefresh: true, completion)
      case .failure(let error): completion(.failed(SendError(error)))
      }
    }
  }

  /// What the peer carries at once, once that is known. Over HTTP/1.1, each connection carries one request;
  /// HTTP/2 connections, for which TLS is needed, usually carry a hundred.
  package var inFlightMax: Int? {
    destination.concurrencyMax ?? (destination.isTLS ? nil : transport.limits.hostConnectionsMax)
  }

  /// Checks whether an access token is available; nil if it is.
  package func checkCredentials(completion: @escaping @Sendable (SendError?) -> Void) {
    tokens.token { result in
      switch result {
      case .success: completion(nil)
      case .failure(let error): completion(SendError(error))
      }
    }
  }

  /// Replaces the credentials. Messages that wait for an access token of the old ones get one of the new; the
  /// old token is not used again.
  package func replace(credentials: Credentials) { tokens.replace(with: credentials) }

  /// How many seconds this machine's clock is ahead of FCM's or the token endpoint's; nil before an answer.
  package var clockSkewSeconds: Int64? { skew.seconds }

  /// When the current access token expires; nil without one or if none is needed.
  package var accessTokenExpiry: ContinuousClock.Instant? { tokens.expiresAt }

  /// Fails all messages that wait or are under way, and those sent afterwards. Each error's message is
  /// `shutting down`; its disposition tells whether the message may have been sent.
  package func shutDown() {
    isShutDown.store(true, ordering: .sequentiallyConsistent)
    tokens.stop()
    transport.retire(destination)
  }

  /// How often a message that FCM did not process is sent again at once. This is not a failed attempt: a
  /// front end that shuts down for an update reports it for every request it has not begun (RFC 9113 §8.7).
  static let resendsMax = 2
  /// How often it is sent again if the front end ends each connection in order: each of them may have carried
  /// others' messages.
  static let orderlyResendsMax = 16

  /// A message that is sent once or several times.
  private struct Message: Sendable {
    let body: [UInt8]
    let trace: TraceContext?
    let atDeparture: @Sendable () -> [UInt8]?

    /// Each request is its own child of the message's parent span (W3C Trace Context, level 2, §3.4).
    func headers(with token: AccessToken) -> HeaderList {
      guard let trace else { return token.headers }
      return HeaderList(trace.child().fields.map { "\($0.name): \($0.value)" }, before: token.headers)
    }
  }

  private func post(
    _ message: Message, with token: AccessToken, mayRefresh: Bool, resends: (any: Int, orderly: Int) = (0, 0),
    _ completion: @escaping @Sendable (SendOutcome) -> Void
  ) {
    guard !isShutDown.load(ordering: .sequentiallyConsistent) else {
      DispatchQueue.global().async { completion(.failed(SendError(TransportError.shuttingDown))) }
      return
    }
    transport.send(
      TransportRequest(
        destination: destination, headers: message.headers(with: token), body: message.body,
        atDeparture: message.atDeparture
      ) { [self] result in
        switch result {
        // What only waited for others is not an attempt.
        case .failure(let error) where error.code == .withdrawn || error.code == .busy:
          completion(.withdrawn)
        case .failure(let error) where error.code == .goingAway && resends.orderly < Self.orderlyResendsMax:
          let resends = (resends.any, resends.orderly + 1)
          post(message, with: token, mayRefresh: mayRefresh, resends: resends, completion)
        case .failure(let error) where error.code == .unprocessed && resends.any < Self.resendsMax:
          let resends = (resends.any + 1, resends.orderly)
          post(message, with: token, mayRefresh: mayRefresh, resends: resends, completion)
        case .failure(let error): completion(.failed(SendError(error)))
        case .success(let response):
          skew.note(response)
          let outcome = Self.classify(response, to: message.body, with: token)
          guard case .failed(let failure) = outcome, failure.disposition == .refreshAccessToken else {
            token.markAccepted()
            return completion(outcome)
          }
          refused(failure, token, message, mayRefresh: mayRefresh, completion)
        }
      })
  }

  /// Handles a 401 about our own access token: one more try, if there is another token.
  private func refused(
    _ failure: SendError, _ token: AccessToken, _ message: Message, mayRefresh: Bool,
    _ completion: @escaping @Sendable (SendOutcome) -> Void
  ) {
    guard mayRefresh, tokens.invalidate(token) else {
      return completion(.failed(failure.read(.permanent, about: .configuration)))
    }
    tokens.token { [self] result in
      switch result {
      case .success(let token): post(message, with: token, mayRefresh: false, completion)
      case .failure(let error): completion(.failed(SendError(error)))
      }
    }
  }

  private static func classify(
    _ response: TransportResponse, to body: [UInt8], with token: AccessToken
  ) -> SendOutcome {
    // Only failures depend on the message; a success does not parse it.
    let isSuccess = response.status < 300 && response.body.first == UInt8(ascii: "{")
    let message = isSuccess ? nil : message(in: body)
    let apns = message?["apns"]
    return AnswerClassifier.outcome(
      of: response,
      targetsLiveActivity: (apns?["live_activity_token"] ?? apns?["liveActivityToken"])?.string != nil,
      registration: (message?["token"] ?? message?["fid"])?.string,
      secrets: message.map { [token.value.value] + texts(in: $0) } ?? [],
      now: Timestamp.now.unixSeconds)
  }

  /// The texts of a message that no error may quote: all but what names fields, keys and choices of FCM's.
  private static func texts(in json: JSON) -> [String] {
    if let text = json.string { return [text] }
    if let list = json.array { return list.flatMap(texts) }
    return (json.object?.members ?? []).flatMap { member in
      ["key", "type", "priority", "ttl", "topic"].contains { member.key.hasSuffix($0) }
        ? [] : texts(in: member.value)
    }
  }

  private static func message(in body: [UInt8]) -> JSON? {
    do {
      return try JSON.parse(body, options: .init(lastDuplicateWins: true))["message"]
    } catch {
      return nil  // FCM's own error describes it better.
    }
  }
}
