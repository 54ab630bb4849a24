internal import COpenSSL

/// What OpenSSL reports about the peer of a connection that libcurl makes.
///
/// Not `Sendable`: only the thread of its link uses it.
final class TLSPeer {
  private static let index = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nil, nil, nil, nil)
  static var isReady: Bool { index >= 0 }

  /// Whether a TLS session has begun, which libcurl's times do not tell.
  private(set) var hasBegun = false
  private(set) var speaksHTTP2 = false
  private var connection: OpaquePointer?
  /// The TLS session of a proxy that speaks TLS itself; what OpenSSL reports about it does not concern the
  /// peer.
  private var outer: OpaquePointer?

  var hasReadAhead: Bool { connection.map { SSL_has_pending($0) == 1 } ?? false }

  /// Called by libcurl with the TLS context of each connection before it connects.
  static func prepare(
    _ context: UnsafeMutableRawPointer?, _ peer: UnsafeMutableRawPointer?, mayOfferHTTP2: Bool
  ) -> Bool {
    guard let context = context.map({ OpaquePointer($0) }), let peer,
      SSL_CTX_set_ex_data(context, index, peer) == 1
    else { return false }
    Unmanaged<TLSPeer>.fromOpaque(peer).takeUnretainedValue().hasBegun = true
    // RFC 7301 §3.1: each name after its length. Unlike most of OpenSSL's, this function gives 0 for success.
    let names = [2] + Array("h2".utf8) + [8] + Array("http/1.1".utf8)
    if mayOfferHTTP2, SSL_CTX_set_alpn_protos(context, names, UInt32(names.count)) != 0 { return false }
    // One read takes many records, and a write that is retried may pass another buffer.
    SSL_CTX_ctrl(context, SSL_CTRL_SET_READ_AHEAD, 1, nil)
    SSL_CTX_ctrl(
      context, SSL_CTRL_MODE, Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER), nil)
    SSL_CTX_set_info_callback(context) { connection, event, _ in
      guard event & SSL_CB_HANDSHAKE_DONE != 0, let connection,
        let peer = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), TLSPeer.index)
      else { return }
      Unmanaged<TLSPeer>.fromOpaque(peer).takeUnretainedValue().shookHands(connection)
    }
    return true
  }

  private func shookHands(_ connection: OpaquePointer) {
    guard connection != outer else { return }
    if self.connection != connection { outer = self.connection }
    self.connection = connection
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(connection, &name, &count)
    speaksHTTP2 = UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
  }
}
