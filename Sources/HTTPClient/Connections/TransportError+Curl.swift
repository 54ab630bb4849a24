internal import CCurl

extension TransportError {
  /// The only place that interprets libcurl's codes.
  init(
    curlCode code: CURLcode, wasSent: Bool, detail: String, phase: Phase? = nil, proxyStatus: Int? = nil
  ) {
    let meaning: Code =
      switch code {
      case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_PROXY,
        CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
        CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
        CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND,
        CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED:
        .connection
      case CURLE_PEER_FAILED_VERIFICATION: .untrusted
      case CURLE_OPERATION_TIMEDOUT: .timeout
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN:
        wasSent ? .badResponse : .unusable
      case CURLE_WEIRD_SERVER_REPLY, CURLE_PARTIAL_FILE, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
        .badResponse
      default: .broken
      }
    self.init(
      code: meaning, wasSent: wasSent, detail: detail, phase: phase, proxyStatus: proxyStatus)
  }
}
