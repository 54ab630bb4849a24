internal import CLinux
internal import Dispatch
internal import Foundation

/// Gives the memory that a load has left behind back to the system.
///
/// glibc keeps what was freed for the next allocation, and one block in use below the top of its heap is
/// enough to keep all below it. After a burst of large requests, the process would stay as large as it was at
/// its peak.
package final class MemoryTrimmer {
  /// Memory that was freed and is not given back: less is not worth the work.
  static let excessBytesMax = 33_554_432
  /// How often that is measured. It is given back when two measurements in a row find it, so that memory
  /// which steady traffic uses again and again stays.
  static let interval = DispatchTimeInterval.seconds(10)

  private let timer: any DispatchSourceTimer

  /// Starts to measure; ends with the last reference.
  package init() {
    let queue = DispatchQueue(label: "dragoman.memory", qos: .background)
    timer = DispatchSource.makeTimerSource(queue: queue)
    var wasLarge = false
    timer.setEventHandler {
      let isLarge = Self.hasExcess(residentBytes: Self.residentBytes(), usedBytes: dragoman_malloc_used())
      if isLarge, wasLarge { dragoman_malloc_trim() }
      wasLarge = isLarge && !wasLarge
    }
    timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval, leeway: .seconds(1))
    timer.activate()
  }

  deinit { timer.cancel() }

  static func hasExcess(residentBytes: Int?, usedBytes: Int) -> Bool {
    guard let residentBytes else { return false }
    return residentBytes - usedBytes > excessBytesMax
  }

  /// The resident memory that belongs to no file; nil without /proc.
  static func residentBytes() -> Int? {
    guard let data = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
    let name = "RssAnon:"
    let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.dropFirst(name.count).split { $0 == " " || $0 == "\t" }.first.flatMap { Int($0) }.map {
      $0 * 1024
    }
  }

  /// Gives back at once what is free.
  static func trim() { dragoman_malloc_trim() }
}
