internal import HTTPServer
internal import Telemetry

/// How the content of an answer is coded (RFC 9110 §8.4.1).
enum ContentCoding: Sendable {
  case identity
  case gzip

  /// The codings that one request may list; those beyond count as not listed.
  private static let listedMax = 20

  /// The coding that `Accept-Encoding` prefers (RFC 9110 §12.5.3): gzip, if the field lists it or `*` with no
  /// less weight than the content as it is. A caller that accepts neither gets it as it is, which everybody
  /// can read.
  init(preferredBy head: HTTPRequestHead) {
    var weights = Weights()
    var left = Self.listedMax
    for value in head.headers.values(of: "Accept-Encoding") where left > 0 {
      let elements = Array(value.utf8).split(separator: UInt8(ascii: ","), maxSplits: left).prefix(left)
      left -= elements.count
      for element in elements { weights.consider(element.trimmingOWS) }
    }
    self = weights.preferred
  }

  /// What a request says about each coding, in thousandths; nil if it does not name it.
  private struct Weights {
    private var gzip: Int?
    private var identity: Int?
    /// Of those that it does not name.
    private var others: Int?

    /// An element such as `gzip;q=0.8`; one that is malformed says nothing.
    mutating func consider(_ element: ArraySlice<UInt8>) {
      let parts = element.split(separator: UInt8(ascii: ";"), maxSplits: 1).map(\.trimmingOWS)
      guard let name = parts.first else { return }
      var weight = 1_000
      if let parameter = parts.dropFirst().first {
        guard parameter.starts(with: "q=".utf8) || parameter.starts(with: "Q=".utf8),
          let quality = parameter.dropFirst(2).qualityValue
        else { return }
        weight = quality
      }
      // The longest of the names, and a byte more.
      switch String(decoding: name.prefix(9), as: UTF8.self).lowercased() {
      case "gzip", "x-gzip": gzip = weight
      case "identity": identity = weight
      case "*": others = weight
      default: break
      }
    }

    var preferred: ContentCoding {
      let compressed = gzip ?? others ?? 0
      return compressed > 0 && compressed >= identity ?? others ?? 0 ? .gzip : .identity
    }
  }
}
