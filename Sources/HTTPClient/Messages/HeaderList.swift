internal import CCurl
internal import CNghttp2
internal import Synchronization

/// Request headers, made once and shared by many requests, in the forms of both HTTP/2 and libcurl.
///
/// Guard: the memory that `fields` points to does not change after `init`, and both libraries only read it.
package final class HeaderList: @unchecked Sendable {
  /// Whether the connection's header compression may index a field (RFC 7541 §6.2).
  enum Reuse { case repeated, once }

  private let fields: UnsafeMutableBufferPointer<nghttp2_nv>
  private let fieldCount: Int
  /// The shared list that follows this list's own fields.
  let rest: HeaderList?
  private let lines: [String]
  private let text: UnsafeMutableBufferPointer<UInt8>
  private let curlList = Mutex<CurlList?>(nil)

  /// Lines as they are sent; `Expect:` suppresses a header that libcurl would add.
  package convenience init(_ lines: [String]) { self.init(lines, .repeated, before: nil) }

  /// A few lines that belong to one request, before a list that many share.
  package convenience init(_ lines: [String], before rest: HeaderList) {
    self.init(lines, .once, before: rest)
  }

  init(_ lines: [String], _ reuse: Reuse, before rest: HeaderList?) {
    self.lines = lines
    self.rest = rest
    let bytes = lines.map { Array($0.utf8) }
    text = .allocate(capacity: bytes.reduce(0) { $0 + $1.count })
    fields = .allocate(capacity: lines.count)
    var flags = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
    if reuse == .once { flags |= UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) }
    var at = 0
    var count = 0
    for line in bytes {
      let start = at
      for byte in line {
        text.initializeElement(at: at, to: byte)
        at += 1
      }
      // A pseudo-header field's own colon is not the one that ends its name.
      guard let colon = line.dropFirst().firstIndex(of: UInt8(ascii: ":")) else { continue }
      let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") }
      guard !value.isEmpty, let base = text.baseAddress else { continue }
      for index in start..<(start + colon) where (0x41...0x5A).contains(text[index]) { text[index] |= 0x20 }
      fields.initializeElement(
        at: count,
        to: nghttp2_nv(
          name: base + start, value: base + start + value.startIndex, namelen: colon,
          valuelen: value.count, flags: flags))
      count += 1
    }
    fieldCount = count
  }

  /// This list's own fields for HTTP/2: names in lower case, pointing into its memory.
  var own: UnsafeMutableBufferPointer<nghttp2_nv>.SubSequence { fields[..<fieldCount] }

  deinit {
    text.deallocate()
    fields.deallocate()
  }

  /// All lines for libcurl, made at the first use; valid while this object lives.
  var curl: UnsafeMutablePointer<curl_slist>? {
    curlList.withLock { list in
      if let list { return list.first }
      let made = CurlList(allLines)
      list = made
      return made.first
    }
  }

  private var allLines: [String] { lines + (rest?.allLines ?? []) }
}

/// Owns a list of libcurl's.
final class CurlList {
  private(set) var first: UnsafeMutablePointer<curl_slist>?

  init(_ lines: [String]) {
    // An append that fails without memory leaves the list as it was.
    for line in lines { first = curl_slist_append(first, line) ?? first }
  }

  deinit { curl_slist_free_all(first) }
}
