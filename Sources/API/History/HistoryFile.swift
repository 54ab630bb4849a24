internal import Clock
internal import Foundation
internal import JSON
package import Telemetry

/// The file that keeps the coarse history of a gateway over its restarts.
///
/// It holds counts by app and error code, nothing about anybody. One that cannot be read or written costs
/// only the charts' past.
package struct HistoryFile: Sendable {
  /// A file beyond this size is not read.
  private static let bytesMax = 32 << 20

  private let path: String
  private let log: Log

  package init(path: String, log: Log) { (self.path, self.log) = (path, log) }

  /// The samples by their interval; none without a file.
  func read() -> [(intervalSeconds: Int, samples: [HistoryRing.Sample])] {
    let url = URL(filePath: path)
    do {
      let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      guard size <= Self.bytesMax else { throw CocoaError(.fileReadTooLarge) }
      let value = try JSON.parse([UInt8](Data(contentsOf: url)))
      return (value["rings"]?.array ?? []).map { ring in
        (
          Int(clamping: ring["interval_seconds"]?.int64 ?? 0),
          (ring["samples"]?.array ?? []).compactMap(HistoryRing.Sample.init)
        )
      }
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return []
    } catch {
      log.warning("history not read", ["path": .string(path), "reason": .string("\(error)")])
      return []
    }
  }

  /// Replaces the file as a whole, so that a crash leaves the one before.
  func write(_ rings: [HistoryRing]) {
    let value: JSON = ["rings": .array(rings.map(\.kept))]
    do {
      try Data(value.serialized).write(to: URL(filePath: path), options: .atomic)
    } catch {
      log.warning("history not written", ["path": .string(path), "reason": .string("\(error)")])
    }
  }
}

extension HistoryRing {
  fileprivate var kept: JSON {
    ["interval_seconds": JSON(intervalSeconds), "samples": .array(samples.map(\.kept))]
  }
}

extension HistoryRing.Sample {
  /// As it is kept, in a file or a database.
  var kept: JSON {
    let members = apps.map { ($0.app.text, $0.json(at: at, seconds: seconds)) }
    return [
      "at": .string(at.rfc3339), "seconds": JSON.Number(seconds).map(JSON.number) ?? .null,
      "apps": .object(.init(members)),
    ]
  }

  init?(_ json: JSON) {
    guard let at = json["at"]?.string.flatMap({ Timestamp(rfc3339: $0) }) else { return nil }
    self.init(
      at: at, seconds: json["seconds"]?.number?.double ?? 0,
      apps: (json["apps"]?.object ?? .init()).map { AppSample(ExactText($0.key), kept: $0.value) })
  }
}
