internal import CLinux
internal import Clock
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import Telemetry

/// One `epoll_wait` loop with its connections, on its own serial queue.
///
/// While it sleeps, a thread that answers a request writes the answer itself: to wake the loop would take
/// longer.
// Guard: every `var` is accessed only by the thread that has the turn; others use `mailbox`, `thread` and
// `connectionCount`.
final class EventLoop: @unchecked Sendable {
  private enum Message: Sendable {
    case adopt(AcceptedSocket)
    case answer(Exchange, at: ExchangePlace)
    /// Nobody is left who could answer.
    case dropped(at: ExchangePlace)
    /// The source of a streamed body has more.
    case wake(registration: UInt64)
    case drain(grace: UInt64)
  }

  private static let mailboxRegistration = UInt64.max
  static let listenerRegistration = UInt64.max - 1
  private static let eventsMax = 256
  /// Messages that one turn takes, so that a burst of answers does not keep requests waiting.
  private static let messagesPerTurnMax = 64
  /// Answers that another thread writes in place of the loop. More of them are worth a wake-up, after which
  /// both threads go on.
  private static let borrowedMessagesMax = 2
  private static let readBytes = 65_536

  let configuration: HTTPServerConfiguration
  let limits: ConnectionLimits
  let handler: any HTTPHandler
  /// Connections of this loop, including those that have been passed to it.
  let connectionCount = Atomic<Int>(0)
  private let identities: TLSIdentities?
  private let census: ConnectionCensus
  let budget: TrafficBudget
  let log: Log
  private let epoll: Int32
  private let mailbox: Mailbox<Message>
  private let queue: DispatchQueue
  private let turn = Turn()
  /// The thread that has the turn.
  private let thread = Atomic<UInt>(0)
  /// When `epoll_wait` returns at the latest; nil for never.
  private var sleepsUntil: UInt64?

  /// The buffer that `Connection` receives into; the next read overwrites it.
  let readSpace = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: EventLoop.readBytes)
  private(set) var clock = LoopClock()

  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var openCount = 0
  private(set) var deadlines = DeadlineHeap()
  /// What each client may still do in this turn.
  var shares = LoopShares()
  private var dirty: [Connection] = []
  /// Those that are being settled.
  private var settling: [Connection] = []
  /// The messages that were taken from the mailbox, and how many of them are done.
  private var messages: [Message] = []
  private var messagesDone = 0
  private var spareBuffers = SpareBuffers()
  var acceptor: Acceptor?
  var acceptsAgainAt: UInt64?
  var pauseIsLoggedAgainAt: UInt64 = 0
  private(set) var drainEnd: UInt64?

  private struct Slot {
    var generation: UInt32 = 0
    var connection: Connection?
  }

  /// Nil with `errno` when there is no descriptor left.
  init?(
    index: Int, configuration: HTTPServerConfiguration, handler: any HTTPHandler,
    identities: TLSIdentities?, census: ConnectionCensus, budget: TrafficBudget, log: Log
  ) {
    guard let mailbox = Mailbox<Message>() else { return nil }
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { return nil }
    self.mailbox = mailbox
    self.configuration = configuration
    self.handler = handler
    self.identities = identities
    self.census = census
    self.budget = budget
    self.log = log
    limits = ConnectionLimits(configuration)
    queue = DispatchQueue(label: "dragoman.http.loop.\(index)", qos: .userInitiated)
    guard
      watchNew(mailbox.descriptor, events: Connection.readEvents, registration: Self.mailboxRegistration)
    else { return nil }
  }

  deinit {
    readSpace.deallocate()
    if epoll >= 0 { Glibc.close(epoll) }
  }

  /// Makes this the loop that accepts, before it starts; false with `errno` when epoll cannot watch the
  /// socket.
  func accept(with acceptor: Acceptor) -> Bool {
    self.acceptor = acceptor
    return watchNew(
      acceptor.descriptor, events: Connection.readEvents, registration: Self.listenerRegistration)
  }

  /// Starts the loop; `onEnd` follows a drain.
  func start(onEnd: @escaping @Sendable () -> Void) {
    queue.async { [self] in
      run()
      onEnd()
    }
  }

  // MARK: From any thread

  /// Takes over a new socket.
  func adopt(_ accepted: AcceptedSocket) {
    connectionCount.add(1, ordering: .relaxed)
    if isCurrent {
      insert(accepted)
    } else if !mailbox.post(.adopt(accepted)) {
      forget(descriptor: accepted.descriptor, address: accepted.address)
    }
  }

  /// Passes the answer of an exchange to its connection, which may be gone; it is finished in any case.
  func deliver(_ exchange: Exchange, at place: ExchangePlace) {
    if isCurrent { return take(exchange, at: place) }
    if mailbox.add(.answer(exchange, at: place)) == .takenAsleep {
      DeferredWork.perform { [self] in performDeferred() }
    }
  }

  /// Has the client of a request that nobody can answer any more get a 500.
  func reportDropped(at place: ExchangePlace) {
    if isCurrent { takeDropped(at: place) } else { mailbox.post(.dropped(at: place)) }
  }

  /// Has a connection ask the source of its streamed body for more, in another turn of the loop.
  func wake(_ registration: UInt64) { mailbox.post(.wake(registration: registration)) }

  /// Ends the loop when its connections have ended, or after `grace`.
  func drain(grace: Duration) { mailbox.post(.drain(grace: grace.nanoseconds)) }

  private var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  // MARK: The loop

  private func run() {
    beginTurn()
    // Guard: freed at the end of this function, used only in it.
    let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Self.eventsMax)
    defer { events.deallocate() }
    while drainEnd == nil || openCount > 0 {
      let count = waitForEvents(events)
      shares.beginTurn()
      for index in 0..<max(0, count) {
        dispatch(
          dragoman_epoll_events(events, index), registration: dragoman_epoll_registration(events, index))
      }
      takeMessages()
      settleDirty()
      expire()
      settleDirty()
      if let drainEnd, drainEnd <= now { closeAll() }
    }
    finish()
    endTurn()
  }

  /// Waits without the turn, unless there is something left to do.
  private func waitForEvents(_ events: UnsafeMutablePointer<epoll_event>) -> Int32 {
    if shares.isUsedUp { sched_yield() }
    sleepsUntil = nextDeadline
    let timeout = messages.isEmpty && mailbox.mayFallAsleep() ? clock.milliseconds(until: sleepsUntil) : 0
    guard timeout != 0 else {
      let count = epoll_wait(epoll, events, Int32(Self.eventsMax), 0)
      updateTime()
      return count
    }
    endTurn()
    let count = epoll_wait(epoll, events, Int32(Self.eventsMax), timeout)
    beginTurn()
    return count
  }

  private func beginTurn() {
    turn.take()
    hasTurn()
  }

  private func hasTurn() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    updateTime()
  }

  private func endTurn() {
    thread.store(0, ordering: .relaxed)
    turn.end()
  }

  /// Writes answers in place of the loop, which sleeps, and wakes it only for what is left.
  private func performDeferred() {
    guard mailbox.count <= Self.borrowedMessagesMax, turn.tryTake() else { return mailbox.wake() }
    hasTurn()
    takeMessages()
    settleDirty()
    let isDone = messages.isEmpty && drainEnd == nil && mailbox.mayFallAsleep()
    let isDueEarlier = (nextDeadline ?? .max) < (sleepsUntil ?? .max)
    endTurn()
    if !isDone || isDueEarlier { mailbox.wake() }
  }

  private func dispatch(_ events: UInt32, registration: UInt64) {
    switch registration {
    case Self.mailboxRegistration: mailbox.clearWakeUp()
    case Self.listenerRegistration: accept()
    default:
      // The event comes again in the next turn.
      guard let connection = connection(registration), shares.hasShare(connection.client) else { return }
      connection.ready(events)
    }
  }

  private func takeMessages() {
    if messages.isEmpty { mailbox.takeAll(into: &messages) }
    let end = min(messages.count, messagesDone + Self.messagesPerTurnMax)
    while messagesDone < end {
      messagesDone += 1
      take(messages[messagesDone - 1])
    }
    if messagesDone == messages.count {
      messages.removeAll(keepingCapacity: true)
      messagesDone = 0
    }
  }

  private func take(_ message: Message) {
    switch message {
    case .adopt(let accepted): insert(accepted)
    case .answer(let exchange, let place): take(exchange, at: place)
    case .dropped(let place): takeDropped(at: place)
    case .wake(let registration):
      if let connection = connection(registration) { settleLater(connection) }
    case .drain(let grace):
      guard drainEnd == nil else { return }
      drainEnd = now + grace
      // Clients that are connected but not yet accepted still get an answer.
      _ = acceptor?.acceptBatch()
      acceptor?.close()
      acceptor = nil
      for slot in slots {
        // What has arrived is accepted, however much it is.
        shares = LoopShares()
        slot.connection?.drain()
      }
    }
  }

  private func take(_ exchange: Exchange, at place: ExchangePlace) {
    let response = exchange.takeResponse()
    connection(place.registration)?.answer(response, sequence: place.sequence)
  }

  private func takeDropped(at place: ExchangePlace) {
    guard let connection = connection(place.registration) else { return }
    let error = HTTPProtocolError(.internalError, "The request was not answered.")
    log.error("http request dropped without an answer")
    var response = handler.response(to: error)
    response.status = error.status
    connection.answer(response, sequence: place.sequence)
  }

  private func finish() {
    acceptor?.close()
    acceptor = nil
    for case .adopt(let accepted) in messages[messagesDone...] + mailbox.close() {
      forget(descriptor: accepted.descriptor, address: accepted.address)
    }
  }

  // MARK: Connections

  private func connection(_ registration: UInt64) -> Connection? {
    let slot = Int(registration & 0xFFFF_FFFF)
    guard slot < slots.count, slots[slot].generation == UInt32(registration >> 32) else { return nil }
    return slots[slot].connection
  }

  private func insert(_ accepted: AcceptedSocket) {
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = free
    } else {
      slot = slots.count
      slots.append(Slot())
    }
    let registration = UInt64(slots[slot].generation) << 32 | UInt64(slot)
    let connection = Connection(
      accepted, identity: identities?.current(now: now), registration: registration, loop: self)
    slots[slot].connection = connection
    openCount += 1
    guard watchNew(accepted.descriptor, events: connection.interest, registration: registration) else {
      return connection.close()
    }
    if let refusal = accepted.refusal { connection.refuse(refusal) }
    if drainEnd != nil { connection.drain() }
    settleLater(connection)
  }

  /// A connection's last call: its slot gets a new generation, so that late events and answers are dropped.
  func closed(_ connection: Connection, descriptor: Int32) {
    let slot = Int(connection.registration & 0xFFFF_FFFF)
    deadlines.remove(slot)
    slots[slot].generation &+= 1
    slots[slot].connection = nil
    freeSlots.append(slot)
    openCount -= 1
    forget(descriptor: descriptor, address: connection.address)
  }

  /// Closes a socket that was counted here.
  private func forget(descriptor: Int32, address: ClientAddress?) {
    connectionCount.subtract(1, ordering: .relaxed)
    if let address { census.leave(address) }
    Glibc.close(descriptor)
  }

  private func closeAll() {
    for slot in slots { slot.connection?.close() }
  }

  // MARK: Calls from connections

  /// Settles the connection once at the end of this turn, whatever happens to it.
  func settleLater(_ connection: Connection) {
    guard !connection.isDirty, connection.isOpen else { return }
    connection.isDirty = true
    dirty.append(connection)
  }

  /// Closes the connection here whose client has taken none of its answers for longest.
  func closeSlowestReader() {
    let waiting = slots.lazy.compactMap(\.connection).filter { $0.share.outputBytes > 0 }
    waiting.min { $0.outputMovedAt < $1.outputMovedAt }?.discardOutput()
  }

  private func settleDirty() {
    // Settling a connection can make others dirty.
    while !dirty.isEmpty {
      swap(&dirty, &settling)
      for connection in settling { connection.settle() }
      settling.removeAll(keepingCapacity: true)
    }
  }

  func watch(_ descriptor: Int32, events: UInt32, registration: UInt64) -> Bool {
    dragoman_epoll_ctl(epoll, Int32(EPOLL_CTL_MOD), descriptor, events, registration) == 0
  }

  private func watchNew(_ descriptor: Int32, events: UInt32, registration: UInt64) -> Bool {
    dragoman_epoll_ctl(epoll, Int32(EPOLL_CTL_ADD), descriptor, events, registration) == 0
  }

  /// Sets the connection's deadline. A later one takes effect when the earlier one has passed.
  func schedule(_ connection: Connection) {
    guard let deadline = connection.deadline else { return }
    let slot = Int(connection.registration & 0xFFFF_FFFF)
    if let entered = deadlines.deadline(of: slot), entered <= deadline { return }
    deadlines.set(slot, to: deadline)
  }

  private func expire() {
    while let (deadline, slot) = deadlines.earliest, deadline <= now {
      deadlines.remove(slot)
      slots[slot].connection?.deadlinePassed()
    }
  }

  /// An empty output buffer; connections that have nothing to write have none.
  func takeBuffer() -> [UInt8] { spareBuffers.take() }

  func giveBack(buffer: consuming [UInt8]) { spareBuffers.giveBack(buffer) }

  // MARK: Time

  private func updateTime() {
    clock.update()
    resumeAccepting()
  }
}
