import FCM
import Synchronization
import Telemetry

/// An FCM that answers each token as scripted and records what it was sent.
final class ScriptedSender: MessageSender {
  private struct State {
    var script: [String: [SendOutcome]] = [:]
    var heldTokens: Set<String> = []
    var held: [@Sendable (SendOutcome) -> Void] = []
    var inFlightMax: Int?
    var keepsBack = false
    var keptBack: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())
  private let continuation: AsyncStream<String>.Continuation
  /// The bodies in the order of their arrival.
  let bodies: AsyncStream<String>
  private let keptBackContinuation: AsyncStream<Void>.Continuation
  /// An element for each message that is kept back.
  let keptBack: AsyncStream<Void>

  init() {
    (bodies, continuation) = AsyncStream.makeStream()
    (keptBack, keptBackContinuation) = AsyncStream.makeStream()
  }

  var inFlightMax: Int? { state.withLock { $0.inFlightMax } }

  func limitInFlight(to most: Int) { state.withLock { $0.inFlightMax = most } }

  /// Keeps back all messages, as if they waited for an access token, until `letLeave`.
  func keepBack() { state.withLock { $0.keepsBack = true } }

  /// Lets them leave; how many there are.
  @discardableResult func letLeave() -> Int {
    let waiting = state.withLock { state in
      state.keepsBack = false
      defer { state.keptBack = [] }
      return state.keptBack
    }
    for leave in waiting { leave() }
    return waiting.count
  }

  func send(
    _ body: [UInt8], trace: TraceContext?, atDeparture: @escaping @Sendable () -> [UInt8]?,
    completion: @escaping @Sendable (SendOutcome) -> Void
  ) {
    let leave: @Sendable () -> Void = { [self] in
      guard let body = atDeparture() else { return completion(.withdrawn) }
      send(body, completion: completion)
    }
    let isKept = state.withLock { state in
      if state.keepsBack { state.keptBack.append(leave) }
      return state.keepsBack
    }
    if isKept { keptBackContinuation.yield() } else { leave() }
  }

  /// Answers the next sends to `token` with `outcomes` in turn; all others are accepted.
  func script(_ token: String, _ outcomes: SendOutcome...) {
    state.withLock { $0.script[token, default: []] += outcomes }
  }

  /// Leaves sends to `token` unanswered until `answerHeld`.
  func hold(_ token: String) { state.withLock { _ = $0.heldTokens.insert(token) } }

  func answerHeld(_ outcome: SendOutcome) {
    let held = state.withLock { state in
      state.heldTokens = []
      defer { state.held = [] }
      return state.held
    }
    for completion in held { completion(outcome) }
  }

  func send(_ body: [UInt8], completion: @escaping @Sendable (SendOutcome) -> Void) {
    let text = String(decoding: body, as: UTF8.self)
    let outcome: SendOutcome? = state.withLock { state in
      if state.heldTokens.contains(where: { text.contains("\"\($0)\"") }) {
        state.held.append(completion)
        return nil
      }
      guard let token = state.script.keys.first(where: { text.contains("\"\($0)\"") }),
        let outcomes = state.script[token], let first = outcomes.first
      else { return .sent(name: "projects/p/messages/1") }
      state.script[token] = Array(outcomes.dropFirst())
      return first
    }
    continuation.yield(text)
    if let outcome { completion(outcome) }
  }
}
