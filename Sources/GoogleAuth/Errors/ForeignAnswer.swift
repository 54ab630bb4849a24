package import HTTPClient

/// An answer that is not of Google's form (`google.rpc.Status`, RFC 6749 §5.2): a proxy's, a web filter's or
/// a login page's.
package struct ForeignAnswer: Sendable {
  private let response: TransportResponse

  package init(_ response: TransportResponse) { self.response = response }

  package var peer: AttemptEnd.Peer { response.status == 407 ? .proxy : .unknown }

  /// What somebody needs to find out whose answer it is. `peer` is who should have answered, and `secrets`
  /// are values that the answer may quote.
  package func description(insteadOf peer: String, without secrets: [String]) -> String {
    var parts = ["HTTP \(response.status)"]
    if let type = response.fields.contentType { parts.append("Content-Type \(type)") }
    if let via = response.fields.via { parts.append("Via \(via)") }
    if let host = response.fields.location.flatMap(EndpointURL.hostName) { parts.append("Location \(host)") }
    let excerpt = excerpt
    let text =
      "something other than \(peer) answered: " + parts.joined(separator: ", ")
      + (excerpt.isEmpty ? ", empty" : ": \(excerpt)")
    return ServerMessage.redacted(ServerMessage.removing(secrets, from: text))
  }

  private static let readBytesMax = 8_192
  private static let excerptBytesMax = 160

  /// The beginning of what a reader would see, on one line. A success that is no page is not quoted: it may
  /// be a token in another form.
  private var excerpt: String {
    let isPage = response.body.first { $0 > 0x20 } == UInt8(ascii: "<")
    guard isPage || response.status >= 300 else { return response.body.isEmpty ? "" : "not JSON" }
    var output: [UInt8] = []
    var isTag = false
    var rest = response.body.prefix(Self.readBytesMax)
    while let byte = rest.popFirst(), output.count < Self.excerptBytesMax {
      if isTag {
        isTag = byte != UInt8(ascii: ">")
      } else if byte == UInt8(ascii: "<") {
        if let end = Self.endOfHidden(rest) { rest = rest[end...] }
        isTag = true
      } else if byte > 0x20, byte != 0x7F {
        output.append(byte)
      }
      if isTag || byte <= 0x20, let last = output.last, last != 0x20 { output.append(0x20) }
    }
    while output.last == 0x20 { output.removeLast() }
    return String(decoding: output, as: UTF8.self)
  }

  /// Where a script or style sheet ends whose tag has just begun; nil for other tags.
  private static func endOfHidden(_ rest: ArraySlice<UInt8>) -> Int? {
    let name = rest.prefix(6).map { $0 | 0x20 }
    guard name.starts(with: "script".utf8) || name.starts(with: "style".utf8) else { return nil }
    return rest.firstRange(of: Array("</".utf8))?.lowerBound ?? rest.endIndex
  }
}
