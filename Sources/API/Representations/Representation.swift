internal import HTTPServer
internal import Synchronization

/// An answer that many callers get alike, as it is or compressed. It is compressed once, for the first caller
/// that prefers it so.
///
/// It must contain nothing that a request chooses: the length of a compressed answer tells what repeats in
/// it, so that whoever chooses one part could guess the rest (BREACH).
final class Representation: Sendable {
  private let plain: HTTPResponse
  /// Nil for an answer that no cache may keep.
  private let entityTag: EntityTag?
  private let isCompressible: Bool
  private let compressed = Mutex<[UInt8]?>(nil)

  /// `isRevalidated` says whether a caller may keep it and ask whether it is still valid.
  init(_ answer: HTTPResponse, isRevalidated: Bool = false, isCompressible: Bool = true) {
    self.isCompressible = isCompressible
    var plain = answer
    if isCompressible {
      plain.headers["Vary"] = plain.headers["Vary"].map { "\($0), Accept-Encoding" } ?? "Accept-Encoding"
    }
    self.plain = plain
    entityTag = isRevalidated ? EntityTag(of: plain.body) : nil
  }

  /// Answers a call here, or on the pool if the content is to be compressed first.
  func answer(_ call: APICall, on pool: WorkPool) {
    if let known = response(to: call.head, compresses: false) { return call.respond(known) }
    pool.perform(call, .short) { call.respond(self.response(to: call.head)) }
  }

  /// The answer to a request. It can take some milliseconds.
  func response(to head: HTTPRequestHead) -> HTTPResponse { response(to: head, compresses: true) ?? plain }

  /// The answer as it is, with content that was made from its own.
  func plain(_ change: ([UInt8]) -> [UInt8]) -> HTTPResponse {
    var answer = plain
    answer.body = change(plain.body)
    return answer
  }

  /// Nil if the content would have to be compressed, or cannot be.
  private func response(to head: HTTPRequestHead, compresses: Bool) -> HTTPResponse? {
    let coding = isCompressible ? ContentCoding(preferredBy: head) : .identity
    var answer = plain
    if let entityTag {
      answer.headers.add("ETag", entityTag.text(in: coding))
      if entityTag.isKnown(to: head, in: coding) {
        (answer.status, answer.body) = (304, [])
        return answer
      }
    }
    guard coding == .gzip else { return answer }
    guard let body = compressed.withLock({ $0 }) ?? (compresses ? compress() : nil) else { return nil }
    answer.headers.add("Content-Encoding", "gzip")
    answer.body = body
    return answer
  }

  private func compress() -> [UInt8]? {
    let bytes = Gzip.compress(plain.body)
    compressed.withLock { $0 = bytes }
    return bytes
  }
}
