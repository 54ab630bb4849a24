internal import CLinux
internal import Glibc

/// One accepted socket: does the I/O that its state machine asks for. Belongs to one loop, and only the
/// thread that has the loop's turn uses it.
final class Connection {
  let registration: UInt64
  private(set) var isOpen = true
  /// The events that epoll reports now.
  private(set) var interest: UInt32
  var isDirty = false

  /// The address whose limit it counts against; nil for none.
  let address: ClientAddress?
  /// Whose share of the loop its requests use.
  private(set) var client: LoopShares.Client
  private var transport: Transport
  /// The refusal to answer once the handshake is over.
  private var pendingRefusal: HTTPProtocolError?
  /// The output is sent, but not yet TLS's `close_notify` alert.
  private var owesEnd = false
  // Guard: only the loop itself calls its connections, so that it is alive whenever one of them runs. To
  // count its references at each use would cost as much as to parse a head.
  unowned(unsafe) let loop: EventLoop
  var parser: RequestParser
  let machine: ConnectionStateMachine
  private var head: HTTPRequestHead?
  /// The handler of the request whose body is being read.
  private var requestHandler: (any HTTPRequestHandler)?
  private var framing = RequestFraming()
  private var owesContinue = false
  /// Input that arrived while no further request was accepted.
  var backlog: [UInt8] = []
  var output: [UInt8] = []
  var outputSent = 0
  /// Bytes that have left since the connection began.
  var sentTotal = 0
  var awaited = AwaitedAnswers()
  /// The body that is being sent part by part.
  var stream: StreamedAnswer?
  /// Since the last report to the state machine.
  private var written = 0
  private var lingerBytes = 0
  /// What the budget counts for this connection.
  var share = TrafficBudget.Share()
  /// Whether reading was paused, by the state machine, when the connection last settled.
  private var wasPaused = false

  static let readEvents = EPOLLIN.rawValue
  static let writeEvents = EPOLLOUT.rawValue

  init(_ accepted: AcceptedSocket, identity: TLSIdentity?, registration: UInt64, loop: EventLoop) {
    transport = Transport(descriptor: accepted.descriptor, identity: identity)
    address = accepted.address
    client = .address(accepted.address)
    self.registration = registration
    self.loop = loop
    interest = Self.readEvents
    parser = RequestParser(limits: loop.configuration, peer: accepted.peer)
    machine = ConnectionStateMachine(
      limits: loop.limits, isOpening: identity != nil, now: loop.now)
  }

  // MARK: Events

  func ready(_ events: UInt32) {
    if events & EPOLLERR.rawValue != 0 { return close() }
    // Both sides are closed: the client no longer waits for answers to unread requests.
    if events & EPOLLHUP.rawValue != 0, events & EPOLLIN.rawValue == 0 { return close() }
    if transport.isOpening {
      open()
    } else if events & EPOLLIN.rawValue != 0 || transport.waitsToWrite {
      receive()
    }
    loop.settleLater(self)
  }

  /// Continues the handshake.
  private func open() {
    switch transport.open() {
    case .waits: break
    case .ended: close()
    case .failed:
      machine.openingFailed(now: loop.now)
      shutdown(transport.descriptor, Int32(SHUT_WR))
    case .plainHTTP:
      machine.opened(now: loop.now)
      refuse(pendingRefusal ?? HTTPProtocolError(.badRequest, "This port speaks TLS: ask with https."))
    case .done:
      machine.opened(now: loop.now)
      parser.clientSubject = transport.peerSubject
      if let pendingRefusal { refuse(pendingRefusal) }
    }
  }

  /// Reads once; the rest comes with the next event, so that no connection monopolizes a loop.
  private func receive() {
    guard readsOn else { return }
    // What was left of the last turn comes first.
    if !backlog.isEmpty, machine.takesRequests { return takeBacklog() }
    let space = loop.readSpace
    if case .lingering = machine.ending { return discard(transport.receiveRaw(into: space)) }
    let count: Int
    switch transport.receive(into: space) {
    case .moved(let moved): count = moved
    case .waitsToRead, .waitsToWrite: return
    case .ended: return machine.inputEnded()
    case .failed: return close()
    }
    // Guard: the loop owns the space, and nothing writes to it before this call returns.
    let input = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(space)[..<count])
    guard backlog.isEmpty else {
      backlog.append(contentsOf: input)
      return takeBacklog()
    }
    let consumed = take(input.span)
    if consumed < count, isOpen { backlog.append(contentsOf: input[consumed...]) }
  }

  /// Whether the socket should be read. While a body is streamed, requests wait unparsed, and the client's
  /// end must still be noticed.
  private var readsOn: Bool {
    machine.wantsInput
      || machine.isStreaming && !machine.isInputEnded && backlog.count < Self.streamingBacklogBytesMax
  }

  /// Discards what comes after the last answer, up to a limit.
  private func discard(_ outcome: TransferOutcome) {
    switch outcome {
    case .moved(let count):
      lingerBytes += count
      if lingerBytes > loop.configuration.lingerBytesMax { close() }
    case .waitsToRead, .waitsToWrite: break
    case .ended: machine.inputEnded()
    case .failed: close()
    }
  }

  private func takeBacklog() {
    let input = backlog
    backlog = []
    let consumed = take(input.span)
    if consumed < input.count, isOpen { backlog = Array(input[consumed...]) }
  }

  /// Parses requests while they are accepted and the client has a share of the turn, but a request that has
  /// begun as far as it goes; returns how much of the input was consumed.
  private func take(_ input: Span<UInt8>) -> Int {
    var offset = 0
    while isOpen, machine.takesRequests, head != nil || loop.shares.hasShare(client) {
      let step = parser.next(input, &offset)
      switch step {
      case .needsInput:
        machine.parserMoved(to: parser.phase, bodyBytes: parser.bodyByteCount, now: loop.now)
        return offset
      case .head(let head, let framing): begin(head, framing)
      case .body(let body): end(body)
      case .failed(let error): refuse(error)
      }
    }
    // Nothing after a last request is read.
    return machine.isReadingStopped ? input.count : offset
  }

  private func begin(_ head: HTTPRequestHead, _ framing: RequestFraming) {
    self.head = head
    self.framing = framing
    loop.shares.charge(1, to: client)
    switch loop.handler.admit(head) {
    case .accept(let requestHandler, let bytesMax):
      client = requestHandler.client.map(LoopShares.Client.name) ?? .address(address)
      self.requestHandler = requestHandler
      guard !framing.hasBody || loop.budget.hasRoomForRequests else { return refuse(Self.noRoom) }
      do {
        try parser.beginBody(bytesMax: bytesMax ?? loop.configuration.bodyBytesMax)
        machine.parserMoved(to: .body, now: loop.now)
        owesContinue = framing.expectsContinue
      } catch {
        refuse(error)
      }
    case .refuse(let response, let observer):
      guard framing.hasBody else {
        // Nothing of this request is left to read, so the connection can continue.
        let sequence = machine.requestEnded(
          isHead: head.method == "HEAD", minorVersion: head.minorVersion, keepsAlive: framing.keepsAlive,
          now: loop.now)
        parser.skipBody()
        self.head = nil
        awaited.append(sequence: sequence, observer: observer)
        answer(response, sequence: sequence)
        return
      }
      refuse(response, status: response.status, observer: observer)
    }
  }

  private func end(_ body: [UInt8]) {
    guard let head, let requestHandler else { return }
    self.head = nil
    self.requestHandler = nil
    owesContinue = false
    let sequence = machine.requestEnded(
      isHead: head.method == "HEAD", minorVersion: head.minorVersion, keepsAlive: framing.keepsAlive,
      bytes: body.count, now: loop.now)
    awaited.append(sequence: sequence, observer: requestHandler)
    requestHandler.handle(
      HTTPRequest(head: head, body: body),
      responder: HTTPResponder(loop: loop, registration: registration, sequence: sequence))
  }

  /// Answers with the handler's response to `error`, after the handshake if one is under way.
  func refuse(_ error: HTTPProtocolError) {
    pendingRefusal = transport.isOpening ? error : nil
    guard pendingRefusal == nil else { return }
    if let requestHandler, let response = requestHandler.response(to: error) {
      return refuse(response, status: error.status, observer: requestHandler)
    }
    refuse(loop.handler.response(to: error), status: error.status)
  }

  /// Answers in the request's turn, then ends the connection, since the start of the next request is unknown.
  private func refuse(_ response: HTTPResponse, status: Int, observer: (any HTTPAnswerObserver)? = nil) {
    var last = response
    last.status = status
    owesContinue = false
    let sequence = machine.refused(
      last, isHead: head?.method == "HEAD", minorVersion: head?.minorVersion ?? 1)
    awaited.append(sequence: sequence, observer: observer)
    head = nil
    requestHandler = nil
    writeAnswers()
  }

  // MARK: Answers

  /// Accepts an answer to a request of this connection; nil ends the connection in that request's turn.
  func answer(_ response: consuming HTTPResponse?, sequence: UInt64) {
    guard isOpen else { return }
    machine.answered(response, sequence: sequence)
    writeAnswers()
    loop.settleLater(self)
  }

  /// Moves answers to the output while that has room: until then, they share their bodies with others.
  /// Returns whether it moved any.
  @discardableResult
  private func writeAnswers() -> Bool {
    var hasMoved = false
    while output.count - outputSent < loop.limits.waitingOutputBytesMax {
      let sequence = machine.firstSequence
      guard let answer = machine.nextAnswer() else { break }
      hasMoved = true
      switch answer {
      case .ready(let ready):
        if output.isEmpty { output = loop.takeBuffer() }
        ResponseSerializer.append(ready, date: loop.date, to: &output)
        if machine.isStreaming, let source = ready.response.stream {
          beginStream(source, isChunked: ready.minorVersion > 0, sequence: sequence)
        } else {
          awaited.isReady(sequence: sequence, end: sentTotal + output.count - outputSent)
        }
        noteOutput()
      case .abort:
        // Earlier answers are still sent.
        flush()
        close()
        return hasMoved
      }
    }
    return hasMoved
  }

  private func flush() {
    while outputSent < output.count {
      let outcome = output.withUnsafeBytes { bytes in
        // Guard: `outputSent` is below the count, and the pointer does not leave the closure.
        transport.send(UnsafeRawBufferPointer(rebasing: bytes[outputSent...]))
      }
      switch outcome {
      case .moved(let count):
        outputSent += count
        sentTotal += count
        written += count
        awaited.sent(sentTotal)
      case .waitsToWrite, .waitsToRead: return
      case .ended, .failed: return close()
      }
    }
    if !output.isEmpty {
      // Nothing else may refer to the buffer, or emptying it would copy it.
      let sent = output
      output = []
      loop.giveBack(buffer: sent)
      outputSent = 0
    }
    if case .afterOutput = machine.ending { owesEnd = !transport.sendEnd() }
  }

  func noteOutput() {
    machine.outputWaits(
      bytes: output.count - outputSent + (owesEnd ? 1 : 0), written: written, now: loop.now)
    written = 0
  }

  // MARK: Turns of the loop

  /// Writes pending output, parses the backlog, and registers interest and deadline with the loop.
  func settle() {
    isDirty = false
    moveStream()
    while isOpen {
      if owesContinue, machine.hasNoExchanges, machine.ending == .none {
        owesContinue = false
        output.append(contentsOf: ResponseSerializer.continueBytes)
      }
      flush()
      guard isOpen else { return }
      if writeAnswers() { continue }
      noteOutput()
      switch machine.closing(now: loop.now) {
      case .now: return close()
      case .halfThenLinger:
        shutdown(transport.descriptor, Int32(SHUT_WR))
        backlog = []
      case .no: break
      }
      guard !backlog.isEmpty, machine.takesRequests else { break }
      guard loop.shares.hasShare(client) else {
        loop.wake(registration)
        break
      }
      takeBacklog()
    }
    guard isOpen, keepsToBudget() else { return }
    continueStream()
    updateInterest()
    loop.schedule(self)
  }

  private func updateInterest() {
    let isPaused = !machine.wantsInput
    if wasPaused, !isPaused { machine.readingResumed(now: loop.now) }
    wasPaused = isPaused
    var wanted: UInt32 = 0
    if readsOn, !machine.isInputEnded {
      // TLS may have to write before it can read on; discarded input is not read through TLS.
      let writesFirst = transport.waitsToWrite && machine.ending == .none
      wanted = writesFirst ? Self.writeEvents : Self.readEvents
    }
    if outputSent < output.count || owesEnd { wanted |= Self.writeEvents }
    guard wanted != interest else { return }
    interest = wanted
    if !loop.watch(transport.descriptor, events: wanted, registration: registration) { close() }
  }

  /// The server stops. A request that is already in the socket is still accepted.
  func drain() {
    if transport.isOpening { open() } else { receive() }
    guard isOpen else { return }
    machine.drain()
    stream?.source.serverStops()
    loop.settleLater(self)
  }

  /// When the client last took a part of its answers, or they began to wait.
  var outputMovedAt: UInt64 { machine.outputMovedAt }

  /// Closes without sending what waits.
  func discardOutput() {
    resetOnClose()
    close()
  }

  /// Resets a client that reads no answers: otherwise the kernel would keep the unread bytes.
  private func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(transport.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    // A truncated answer must not look complete.
    if outputSent == output.count, stream == nil { _ = transport.sendEnd() }
    stream?.source.end()
    stream = nil
    backlog = []
    output = []
    awaited = AwaitedAnswers()
    count(TrafficBudget.Share())
    loop.closed(self, descriptor: transport.descriptor)
  }
}
