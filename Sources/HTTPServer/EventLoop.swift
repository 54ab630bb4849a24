/// One epoll loop.
final class EventLoop: Sendable {
  func deliver(_ result: ExchangeResult, registration: UInt64, sequence: UInt64) {}
}
