/// A problem type of RFC 9457 that the API answers with; its slug is the last part of its `type`.
struct ProblemType: Sendable {
  let slug: String
  let title: String
  let status: Int
  /// The text of `/problems/{slug}`: what happened and what to do.
  let explanation: String

  var type: String { "/problems/\(slug)" }

  private init(_ slug: String, _ title: String, _ status: Int, _ explanation: String) {
    self.slug = slug
    self.title = title
    self.status = status
    self.explanation = explanation
  }

  static let malformedJSON = ProblemType(
    "malformed-json", "The body is not JSON", 400,
    """
    The request's body is not JSON in UTF-8, repeats a key in an object, has half a surrogate pair, or nests values \
    deeper than 64. The detail names the place. Send one JSON value that RFC 8259 allows.
    """)
  static let badRequest = ProblemType(
    "bad-request", "The request is not HTTP that can be served", 400,
    "The request breaks a rule of HTTP/1.1 (RFC 9112); the detail names it. The connection is closed.")
  static let unauthorized = ProblemType(
    "unauthorized", "An API key is needed", 401,
    "Send `Authorization: Bearer KEY` with a key whose SHA-256 is listed under `auth.clients` "
      + "in the configuration."
  )
  static let forbidden = ProblemType(
    "forbidden", "This is not allowed here", 403,
    "The client's scopes do not cover the request, or the `Host` field is not a name of this "
      + "gateway. An operator can widen them in `auth.clients` and `server.allowed_hosts`."
  )
  static let notFound = ProblemType(
    "not-found", "There is nothing here", 404,
    "The path names nothing that exists, or nothing that this client may see.")
  static let methodNotAllowed = ProblemType(
    "method-not-allowed", "The method is not allowed here", 405,
    "The `Allow` header lists the methods that are allowed.")
  static let requestTimeout = ProblemType(
    "request-timeout", "The request took too long", 408,
    "The head or the body was not complete in time. Send the request without pauses.")
  static let idempotencyConflict = ProblemType(
    "idempotency-conflict", "The first request with this key is still being handled", 409,
    "A request with the same `Idempotency-Key` is being handled. Repeat the request to get its answer.")
  static let alreadyFinal = ProblemType(
    "already-final", "There is nothing left to cancel", 409,
    "Every delivery of the notification is sent, failed, expired or cancelled.")
  static let nothingToRetry = ProblemType(
    "nothing-to-retry", "There is nothing to retry", 409,
    "None of the notification's deliveries is failed or expired.")
  static let noResources = ProblemType(
    "no-resources", "The catalog names no string resources", 409,
    "A preview needs the apps' string files. Name them under `resources` in the catalog, and reload.")
  static let payloadTooLarge = ProblemType(
    "payload-too-large", "The body is too large", 413,
    "The body exceeds `server.max_body_bytes`. Send fewer notifications in one request.")
  static let uriTooLong = ProblemType(
    "uri-too-long", "The request target is too long", 414, "Shorten the URL.")
  static let unsupportedMediaType = ProblemType(
    "unsupported-media-type", "The body must be JSON", 415,
    "Send `Content-Type: application/json`, and no `Content-Encoding`.")
  static let expectationFailed = ProblemType(
    "expectation-failed", "The expectation cannot be met", 417, "Only `Expect: 100-continue` is supported.")
  static let unknownTemplate = ProblemType(
    "unknown-template", "The catalog has no such template", 422,
    "`GET /v1/templates` lists the templates of an app's catalog.")
  static let unknownApp = ProblemType(
    "unknown-app", "There is no such app", 422, "The apps are listed under `apps` in the configuration.")
  static let invalidRequest = ProblemType(
    "invalid-request", "The request is not valid", 422,
    """
    `errors` lists every mistake with a JSON Pointer into the request and a code: `missing`, `unknown`, \
    `wrong_type`, `out_of_range` or `invalid`. Correct all of them and send it again; nothing was kept.
    """)
  static let idempotencyMismatch = ProblemType(
    "idempotency-mismatch", "The key was used for another request", 422,
    "An `Idempotency-Key` belongs to one request for 24 hours. Use a new key for a new request.")
  static let messageTooLarge = ProblemType(
    "message-too-large", "The message is too large for FCM", 422,
    """
    The whole message, as compact JSON in UTF-8 with its target, would exceed FCM's 4,096 bytes. The detail \
    states by how much. Shorten args or data, or send an id and let the app fetch the rest.
    """)
  static let notRenderable = ProblemType(
    "not-renderable", "A text for this recipient cannot be made", 422,
    """
    The recipient needs a text that the gateway makes: a browser, a release of the app without the text, or \
    `render`. The app has none in the recipient's language, or the language is not known, and the template has no \
    `fallback`. `errors` names each slot. Add a fallback to the template, correct the app's strings (`dragoman check` \
    finds them), or send `recipient.locale`. Nothing was kept.
    """)
  static let headersTooLarge = ProblemType(
    "headers-too-large", "The request head is too large", 431, "Send fewer or shorter header fields.")
  static let rateLimited = ProblemType(
    "rate-limited", "Too many requests", 429,
    "The client sends more requests than its `rate` in `auth.clients` allows, or an address tried too many "
      + "unknown keys. Wait for `Retry-After`.")
  static let internalError = ProblemType(
    "internal-error", "Internal error of the gateway", 500,
    "This is an error in the gateway. See its log at the time of the request.")
  static let damagedRecord = ProblemType(
    "damaged-record", "The record is damaged", 500,
    """
    The queue's record of this notification cannot be read; others are not affected, and to try again is of no use. \
    Its waiting deliveries end as failed. `dragoman queue check` lists the damage.
    """)
  static let notImplemented = ProblemType(
    "not-implemented", "The gateway does not support this", 501,
    "The server does not support the method or the transfer coding.")
  static let versionNotSupported = ProblemType(
    "http-version-not-supported", "The HTTP version is not supported", 505, "Use HTTP/1.1.")
  static let queueFull = ProblemType(
    "queue-full", "The queue is full", 503,
    """
    `queue.max_depth` deliveries are waiting, or the share of it that a client may have. Nothing was kept; try again \
    after `Retry-After`. A request with more deliveries than may wait never fits: send fewer at a time.
    """)
  static let shuttingDown = ProblemType(
    "shutting-down", "The gateway is shutting down", 503,
    "Nothing was kept. Try again after `Retry-After`, at another replica if there is one.")
  static let storageUnavailable = ProblemType(
    "storage-unavailable", "The queue cannot be read or written", 503,
    "The disk or database refused the write. Nothing was kept; try again after `Retry-After`.")
  static let outcomeUnknown = ProblemType(
    "outcome-unknown", "It is not known whether the request was kept", 503,
    """
    The disk or database did not confirm the write, which may have been kept. Repeat the request after \
    `Retry-After` with the same `Idempotency-Key`: it then counts once. Without a key, a repeat may notify twice.
    """)
  static let tooManyConnections = ProblemType(
    "too-many-connections", "Too many connections", 503,
    "Too many connections are open, or their requests hold too many bytes. Keep connections alive and reuse "
      + "them; try again later.")
  static let overloaded = ProblemType(
    "overloaded", "The gateway has too much to do", 503,
    "Too many large or slow requests are waiting, or this one waited too long. Nothing was kept; try again after "
      + "`Retry-After`, with smaller batches.")
  static let upstreamUnavailable = ProblemType(
    "fcm-unavailable", "FCM could not be asked", 503,
    "`validate_only` sends the message to FCM, and FCM or the connection to it failed. Try again "
      + "after `Retry-After`."
  )

  static let all: [ProblemType] = [
    malformedJSON, badRequest, unauthorized, forbidden, notFound, methodNotAllowed, requestTimeout,
    noResources, idempotencyConflict, alreadyFinal, nothingToRetry, idempotencyMismatch, payloadTooLarge,
    uriTooLong, unsupportedMediaType, expectationFailed, unknownTemplate,
    unknownApp, invalidRequest,
    messageTooLarge, notRenderable, rateLimited, headersTooLarge, internalError, damagedRecord,
    notImplemented,
    versionNotSupported,
    queueFull,
    shuttingDown,
    storageUnavailable, outcomeUnknown, tooManyConnections, overloaded, upstreamUnavailable,
  ]
}
