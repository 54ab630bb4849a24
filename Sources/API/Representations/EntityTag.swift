internal import Foundation
internal import HTTPServer

/// The strong validators of an answer's content, one for each coding (RFC 9110 §8.8.3).
struct EntityTag: Sendable {
  private let digest: String

  init(of content: [UInt8]) { digest = String(Data(sha256(content)).base64EncodedString().prefix(22)) }

  func text(in coding: ContentCoding) -> String {
    switch coding {
    case .identity: "\"\(digest)\""
    case .gzip: "\"\(digest)-gzip\""
    }
  }

  /// The tags that one field may list; those beyond count as unknown.
  private static let listedMax = 100

  /// Whether the caller has the content in this coding already (RFC 9110 §13.1.2).
  func isKnown(to head: HTTPRequestHead, in coding: ContentCoding) -> Bool {
    let comma = UInt8(ascii: ",")
    let text = text(in: coding)
    return head.headers.values(of: "If-None-Match").contains { value in
      value.utf8.split(separator: comma, maxSplits: Self.listedMax).prefix(Self.listedMax).contains {
        listed in
        var tag = listed.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = tag.last, last == 0x20 || last == 0x09 { tag = tag.dropLast() }
        if tag.elementsEqual("*".utf8) { return true }
        if tag.starts(with: "W/".utf8) { tag = tag.dropFirst(2) }
        return tag.elementsEqual(text.utf8)
      }
    }
  }
}
