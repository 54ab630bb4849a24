/// The answer to write next, and how its request requires it to be written.
struct ReadyAnswer: Sendable, Equatable {
  let response: HTTPResponse
  let isHead: Bool
  let minorVersion: Int
  let keepsAlive: Bool
}

/// One connection without I/O: which request is answered next, when reading pauses, when and how the
/// connection ends. Times are monotonic nanoseconds.
///
/// A class: each use of a structure in a `Connection`, which is one, would be checked for exclusive access at
/// run time. Confined like its connection.
final class ConnectionStateMachine {
  /// How a connection ends.
  enum Ending: Sendable, Equatable {
    /// The connection stays open. Can become any of the others.
    case none
    /// After the output is sent: close, or half-close and linger. Then `lingering`, or closed.
    case afterOutput(lingers: Bool)
    /// Our side is closed; input is discarded until the client closes too or the deadline passes.
    case lingering(since: UInt64)
  }

  /// What the driver does after it has written what it could.
  enum Closing: Sendable, Equatable { case no, now, halfThenLinger }

  /// What a passed deadline means.
  enum Expiry: Sendable, Equatable { case none, close, requestTimeout, streamIsIdle }

  private struct Exchange: Sendable {
    enum Result: Sendable { case waiting, response(HTTPResponse), abort }

    let isHead: Bool
    let minorVersion: Int
    var keepsAlive: Bool
    /// The client itself ends the connection, so that nothing unread can be left.
    let endsInput: Bool
    /// The bytes of its body, which the handler holds until it answers.
    var requestBytes = 0
    var result = Result.waiting
  }

  enum Answer: Sendable, Equatable { case ready(ReadyAnswer), abort }

  private let limits: ConnectionLimits
  private var exchanges: [Exchange] = []
  /// Of the oldest request without an answer in the output.
  private(set) var firstSequence: UInt64 = 0
  private(set) var ending = Ending.none
  private(set) var isInputEnded = false
  private(set) var isReadingStopped = false
  private var isDraining = false
  private var hasReadAnything = false
  /// A handshake is still to be finished.
  private var isOpening: Bool
  /// The body of the first exchange is being sent part by part. Requests behind it wait unread.
  private(set) var isStreaming = false
  private var streamMovedAt: UInt64 = 0
  private var streamIdleInterval: UInt64 = 0

  private var phase = RequestParser.Phase.betweenRequests
  private var phaseSince: UInt64
  /// Bytes of the body that is being read.
  private var bodyBytes = 0
  private var outputBytes = 0
  private var outputDeadline: UInt64?
  private var timedOutputBytes = 0
  /// When output last left, or began to wait.
  private(set) var outputMovedAt: UInt64 = 0

  init(limits: ConnectionLimits, isOpening: Bool = false, now: UInt64) {
    self.limits = limits
    self.isOpening = isOpening
    phaseSince = now
  }

  // MARK: Opening

  /// The handshake is over; the first request's clock starts.
  func opened(now: UInt64) {
    isOpening = false
    phaseSince = now
  }

  /// The handshake has failed and its alert is sent: the client gets time to read it.
  func openingFailed(now: UInt64) {
    isOpening = false
    isReadingStopped = true
    ending = .lingering(since: now)
  }

  // MARK: Reading

  /// Whether another request may be read from the input.
  var takesRequests: Bool {
    ending == .none && !isReadingStopped && !isStreaming && exchanges.count < limits.pipelinedRequestsMax
      && outputBytes < limits.waitingOutputBytesMax
  }

  /// Whether the socket should be read.
  var wantsInput: Bool {
    if case .lingering = ending { return true }
    return takesRequests && !isInputEnded
  }

  /// What requests without an answer hold, and answers that wait for their turn.
  var share: TrafficBudget.Share {
    exchanges.reduce(into: TrafficBudget.Share()) { share, exchange in
      switch exchange.result {
      case .waiting: share.requestBytes += exchange.requestBytes
      case .response(let response): share.outputBytes += response.body.count
      case .abort: break
      }
    }
  }

  /// Whether the connection has nothing to answer; only then may `100 Continue` go out.
  var hasNoExchanges: Bool { exchanges.isEmpty }

  /// The parser has made progress; a request's deadline starts with its first byte.
  func parserMoved(to newPhase: RequestParser.Phase, bodyBytes: Int = 0, now: UInt64) {
    self.bodyBytes = bodyBytes
    if newPhase != .betweenRequests { hasReadAnything = true }
    guard newPhase != phase else { return }
    phase = newPhase
    phaseSince = now
  }

  /// Reading resumes after a pause by the server, so the client's deadline starts again.
  func readingResumed(now: UInt64) { phaseSince = now }

  /// The handler has a whole request; the sequence number identifies its answer.
  func requestEnded(
    isHead: Bool, minorVersion: Int, keepsAlive: Bool, bytes: Int = 0, now: UInt64
  ) -> UInt64 {
    hasReadAnything = true
    let sequence = firstSequence + UInt64(exchanges.count)
    exchanges.append(
      Exchange(
        isHead: isHead, minorVersion: minorVersion, keepsAlive: keepsAlive && !isDraining,
        endsInput: !keepsAlive, requestBytes: bytes))
    phase = .betweenRequests
    phaseSince = now
    if !keepsAlive || isDraining { isReadingStopped = true }
    return sequence
  }

  /// A request that the server answers itself, in its turn; nothing after it is read.
  func refused(_ response: HTTPResponse, isHead: Bool, minorVersion: Int) -> UInt64 {
    isReadingStopped = true
    let sequence = firstSequence + UInt64(exchanges.count)
    exchanges.append(
      Exchange(
        isHead: isHead, minorVersion: minorVersion, keepsAlive: false, endsInput: false,
        result: .response(response)))
    return sequence
  }

  /// The client has closed its side.
  func inputEnded() { isInputEnded = true }

  // MARK: Answers

  /// Accepts a handler's answer; one for an exchange that has ended has no effect.
  func answered(_ response: consuming HTTPResponse?, sequence: UInt64) {
    guard sequence >= firstSequence, sequence - firstSequence < UInt64(exchanges.count) else { return }
    let index = Int(sequence - firstSequence)
    guard case .waiting = exchanges[index].result else { return }
    if let response {
      exchanges[index].result = .response(response)
    } else {
      exchanges[index].result = .abort
    }
  }

  /// The next answer in the order of the requests, if it is available.
  func nextAnswer() -> Answer? {
    guard ending == .none, !isStreaming, !exchanges.isEmpty else { return nil }
    // Taken, not copied: a copy would count the references of all parts of the response.
    var result = Exchange.Result.waiting
    swap(&result, &exchanges[0].result)
    switch consume result {
    case .waiting: return nil
    case .abort:
      exchanges[0].result = .abort
      return .abort
    case .response(let response):
      let isHead = exchanges[0].isHead
      let minorVersion = exchanges[0].minorVersion
      let streams = response.stream != nil && response.hasContent
      // Only the connection's end delimits such a body in HTTP/1.0.
      let keepsAlive =
        exchanges[0].keepsAlive && !response.closesConnection && !(streams && minorVersion == 0)
      if streams, !isHead {
        isStreaming = true
        exchanges[0].result = .response(response)
        exchanges[0].keepsAlive = keepsAlive
      } else {
        leaveFirst(keepsAlive: keepsAlive)
      }
      return .ready(
        ReadyAnswer(response: response, isHead: isHead, minorVersion: minorVersion, keepsAlive: keepsAlive))
    }
  }

  /// The first exchange, of at least one, is over.
  private func leaveFirst(keepsAlive: Bool) {
    let endsInput = exchanges[0].endsInput
    exchanges.removeFirst()
    firstSequence += 1
    guard !keepsAlive else { return }
    // Requests behind this one are not answered (RFC 9112 §9.6).
    isReadingStopped = true
    exchanges.removeAll()
    ending = .afterOutput(lingers: !endsInput)
  }

  // MARK: Streamed bodies

  /// The body of the answer that was given last comes part by part.
  func streamBegan(idleInterval: UInt64, now: UInt64) {
    streamIdleInterval = max(1, idleInterval)
    streamMovedAt = now
  }

  /// A part, or a sign of life, is in the output.
  func streamMoved(now: UInt64) { streamMovedAt = now }

  /// The whole body is in the output.
  func streamEnded() {
    guard isStreaming, !exchanges.isEmpty else { return }
    isStreaming = false
    leaveFirst(keepsAlive: exchanges[0].keepsAlive)
  }

  // MARK: Writing and ending

  /// Records how many bytes wait to be written and how many were written. The deadline applies to the bytes
  /// that waited when it was set: a client that reads fast enough gets a new one, a client that reads a
  /// byte now and then does not.
  func outputWaits(bytes: Int, written: Int, now: UInt64) {
    timedOutputBytes -= written
    if written > 0 || outputBytes == 0 { outputMovedAt = now }
    outputBytes = bytes
    if bytes == 0 {
      outputDeadline = nil
      timedOutputBytes = 0
    } else if outputDeadline == nil || timedOutputBytes <= 0 {
      outputDeadline = now + limits.writeTimeout(bytes: bytes)
      timedOutputBytes = bytes
    }
  }

  /// The server stops: requests in flight are answered, and nothing further is read.
  func drain() {
    isDraining = true
    if phase == .betweenRequests, !exchanges.isEmpty {
      isReadingStopped = true
      exchanges[exchanges.count - 1].keepsAlive = false
    }
  }

  /// How to proceed once as much as possible is written.
  func closing(now: UInt64) -> Closing {
    guard outputBytes == 0 else { return .no }
    switch ending {
    case .none:
      guard exchanges.isEmpty else { return .no }
      return isInputEnded || (isDraining && phase == .betweenRequests) ? .now : .no
    case .afterOutput(let lingers):
      guard lingers, !isInputEnded else { return .now }
      ending = .lingering(since: now)
      return .halfThenLinger
    case .lingering: return isInputEnded ? .now : .no
    }
  }

  // MARK: Deadlines

  /// When to call `expiry` next.
  var deadline: UInt64? {
    if case .lingering(let since) = ending {
      return since
        + (isDraining ? min(limits.lingerTimeout, limits.drainLingerTimeout) : limits.lingerTimeout)
    }
    if let outputDeadline { return min(outputDeadline, outputMovedAt &+ limits.idleTimeout) }
    if isStreaming { return streamMovedAt &+ streamIdleInterval }
    guard takesRequests, !isInputEnded else { return nil }
    if isOpening { return phaseSince + limits.handshakeTimeout }
    switch phase {
    case .betweenRequests:
      guard exchanges.isEmpty else { return nil }
      return phaseSince + (hasReadAnything ? limits.idleTimeout : limits.headerTimeout)
    case .head: return phaseSince + limits.headerTimeout
    case .body: return phaseSince + limits.bodyTimeout(bytes: bodyBytes)
    }
  }

  func expiry(now: UInt64) -> Expiry {
    guard let deadline, deadline <= now else { return .none }
    if ending != .none || outputDeadline != nil { return .close }
    if isStreaming { return .streamIsIdle }
    return phase == .betweenRequests ? .close : .requestTimeout
  }
}

/// A configuration's limits as the state machine counts them: durations in nanoseconds.
struct ConnectionLimits: Sendable {
  let pipelinedRequestsMax: Int
  let waitingOutputBytesMax: Int
  let handshakeTimeout: UInt64
  let headerTimeout: UInt64
  let idleTimeout: UInt64
  let lingerTimeout: UInt64
  let drainLingerTimeout: UInt64
  private let bodyTimeout: UInt64
  private let bodyBytesPerSecondMin: Int
  private let writeTimeout: UInt64
  private let writeBytesPerSecondMin: Int

  init(_ configuration: HTTPServerConfiguration) {
    pipelinedRequestsMax = max(1, configuration.pipelinedRequestsMax)
    waitingOutputBytesMax = max(1, configuration.waitingOutputBytesMax)
    handshakeTimeout = configuration.handshakeTimeout.nanoseconds
    headerTimeout = configuration.headerTimeout.nanoseconds
    bodyTimeout = configuration.bodyTimeout.nanoseconds
    bodyBytesPerSecondMin = max(1, configuration.bodyBytesPerSecondMin)
    idleTimeout = configuration.idleTimeout.nanoseconds
    lingerTimeout = configuration.lingerTimeout.nanoseconds
    drainLingerTimeout = configuration.drainLingerTimeout.nanoseconds
    writeTimeout = configuration.writeTimeout.nanoseconds
    writeBytesPerSecondMin = max(1, configuration.writeBytesPerSecondMin)
  }

  /// The time that a body may take of which `bytes` have arrived: a client that sends fast enough gets more
  /// with each byte, up to what the largest body takes.
  func bodyTimeout(bytes: Int) -> UInt64 {
    bodyTimeout + UInt64(bytes / bodyBytesPerSecondMin) * 1_000_000_000
  }

  /// The time that sending `bytes` may take.
  func writeTimeout(bytes: Int) -> UInt64 {
    writeTimeout + UInt64(bytes / writeBytesPerSecondMin) * 1_000_000_000
  }
}

extension Duration {
  /// Whole nanoseconds, from 0 to some three hundred years.
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(min(seconds, 9_000_000_000)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
