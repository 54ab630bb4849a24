/// The limits of one transport.
package struct TransportLimits: Sendable {
  /// Connections to one host and port. Each carries up to `concurrentStreamsMax` requests over HTTP/2, one
  /// over HTTP/1.1.
  package var hostConnectionsMax = 32
  package var totalConnectionsMax = 512
  package var concurrentStreamsMax = 100
  /// Bytes of a response's body that are read; FCM's responses have a few hundred.
  package var bodyBytesMax = 65_536
  /// Bytes of a response's headers.
  package var headerBytesMax = 65_536
  /// Bytes of HTTP/2 frames that a peer may send between two answers and that belong to none: PING, SETTINGS,
  /// WINDOW_UPDATE, PRIORITY, empty frames, frames of unknown types (RFC 9113 §10.5). Then the connection
  /// ends.
  package var idleFrameBytesMax = 262_144
  /// Easy handles kept for a destination's next requests over HTTP/1.1.
  package var idleHandlesMax = 1024
  /// A connection older than this takes no new requests, so that the transport notices when the host's
  /// address changes.
  package var connectionLifetime: Duration = .seconds(600)

  /// From a connection's TLS handshake to the peer's SETTINGS, which a peer that speaks HTTP/2 sends at once
  /// (RFC 9113 §3.4). Then another connection is tried.
  package var greetingTimeout: Duration = .seconds(3)

  package init() {}
}

/// What a transport has done since it began.
package struct TransportStatistics: Sendable, Equatable {
  package var answers = 0
  package var failures = 0
  /// Answers that came over HTTP/2.
  package var http2Answers = 0
  package var connectionsOpened = 0

  package init() {}
}
