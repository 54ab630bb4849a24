internal import Glibc

/// Where a server listens, and every limit that it enforces.
package struct HTTPServerConfiguration: Sendable {
  package var listen: HTTPListenAddress
  /// The number of event loops, each on its own thread: one for each core, from 2 to 8. What else a request
  /// needs saturates before more of them do.
  package var loopCount = min(8, max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  /// The files of a server that speaks TLS; nil: plain HTTP.
  package var tls: TLSConfiguration?

  /// Connections at the same time; further ones are answered 503.
  package var connectionsMax = 10_000
  /// Connections at the same time from one address (IPv6: one /64 network); further ones are answered 503.
  /// Nil: half of `connectionsMax`, or three quarters for this machine itself, but at least 16. Unix-domain
  /// sockets have no addresses and are not counted.
  package var connectionsPerAddressMax: Int?
  /// Refused connections that may wait for their 503; beyond that, accepting pauses.
  package var refusedConnectionsMax = 64
  /// Connections that the kernel holds until they are accepted.
  package var listenBacklogConnections = 1024

  /// A body's bytes without its transfer coding, unless the handler sets another limit.
  package var bodyBytesMax = 1_048_576
  /// The method's bytes; longer: 501.
  package var methodBytesMax = 32
  /// The request line's bytes (RFC 9112 §3 recommends at least 8,000); longer: 414.
  package var requestLineBytesMax = 16_384
  /// A head's bytes after the request line, and a trailer section's; longer: 431.
  package var headerBytesMax = 32_768
  /// Field lines of a head, and of a trailer section; more: 431. A Host taken from the target is not counted.
  package var headerCountMax = 100
  /// A chunk's size line with its extensions.
  package var chunkLineBytesMax = 1024
  /// All chunk extensions of one body.
  package var chunkExtensionBytesMax = 16_384
  /// Requests of one connection that wait for their answers; beyond that, reading pauses.
  package var pipelinedRequestsMax = 16
  /// Answer bytes that wait for the client; beyond that, reading pauses.
  package var waitingOutputBytesMax = 262_144
  /// Bytes of requests that all connections together hold until their answers: bodies, and what came after
  /// them. Beyond, requests with a body are answered 503. Nil: 256 MiB, or four of the largest bodies.
  package var requestBytesTotalMax: Int?
  /// Answer bytes of all connections together that wait for their clients. Beyond, the
  /// client that has taken none of them for longest is disconnected.
  package var outputBytesTotalMax = 67_108_864
  /// Bytes read and discarded after a refusal, so that the client can read the answer.
  package var lingerBytesMax = 8_388_608

  /// From a connection's start to the end of its TLS handshake.
  package var handshakeTimeout: Duration = .seconds(10)
  /// From the first byte of a request (or the connection's start) to the end of its head.
  package var headerTimeout: Duration = .seconds(10)
  /// From the end of a head to the end of its body, plus a second for each `bodyBytesPerSecondMin` bytes that
  /// have arrived.
  package var bodyTimeout: Duration = .seconds(30)
  package var bodyBytesPerSecondMin = 16_384
  /// Between two requests, and between two signs that a client reads its answer.
  package var idleTimeout: Duration = .seconds(75)
  /// For sending an answer, plus a second for each `writeBytesPerSecondMin` bytes of it.
  package var writeTimeout: Duration = .seconds(30)
  package var writeBytesPerSecondMin = 16_384
  /// For the client to close its side after the last answer.
  package var lingerTimeout: Duration = .seconds(5)
  /// The same while the server stops, so that a client's idle pool does not delay it.
  package var drainLingerTimeout: Duration = .milliseconds(500)
  /// Between two attempts to accept while the process or machine is out of descriptors or memory.
  package var acceptBackoff: Duration = .milliseconds(100)

  package init(listen: HTTPListenAddress) { self.listen = listen }
}
