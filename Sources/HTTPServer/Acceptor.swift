internal import CLinux
internal import Glibc
internal import Synchronization

/// The listening socket: accepts and hands each connection to the loop that has the fewest.
final class Acceptor: Sendable {
  enum Outcome: Equatable {
    case goOn
    /// Out of connections (nil), descriptors or memory (`errno`): trying again at once would spin.
    case pause(errno: Int32?)
  }

  /// Connections taken in one turn of the loop.
  private static let batchMax = 64

  let descriptor: Int32
  private let socketFile: String?
  private let connectionsMax: Int
  private let refusedConnectionsMax: Int
  private let loops: [EventLoop]

  init(socket: ListeningSocket, loops: [EventLoop], configuration: HTTPServerConfiguration) {
    descriptor = socket.descriptor
    socketFile = socket.file
    self.loops = loops
    connectionsMax = configuration.connectionsMax
    refusedConnectionsMax = configuration.refusedConnectionsMax
  }

  func acceptBatch() -> Outcome {
    for _ in 0..<Self.batchMax {
      let count = loops.reduce(0) { $0 + $1.connectionCount.load(ordering: .relaxed) }
      guard count < connectionsMax + refusedConnectionsMax else { return .pause(errno: nil) }
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let accepted = withUnsafeMutablePointer(to: &storage) { pointer in
        // Guard: a sockaddr_storage has room for every address, and the pointer does not leave the closure.
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          dragoman_accept4(descriptor, $0, &length)
        }
      }
      guard accepted >= 0 else {
        switch errno {
        case EAGAIN: return .goOn
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .pause(errno: errno)
        // The client is gone already, or the network reports its own trouble (accept(2)): the next one may be fine.
        default: continue
        }
      }
      if socketFile == nil {
        var on: Int32 = 1
        setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      }
      let least = loops.min {
        $0.connectionCount.load(ordering: .relaxed) < $1.connectionCount.load(ordering: .relaxed)
      }
      least?.adopt(
        descriptor: accepted, peer: SocketAddress.text(storage), isRefused: count >= connectionsMax)
    }
    return .goOn
  }

  /// Ends listening and removes the socket's file.
  func close() {
    Glibc.close(descriptor)
    if let socketFile { unlink(socketFile) }
  }
}
