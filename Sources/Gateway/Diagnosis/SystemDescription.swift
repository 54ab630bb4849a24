internal import Foundation
internal import HTTPClient
internal import JSON

/// The versions and the machine, for a support request.
struct SystemDescription: Sendable {
  let version: String
  let libraries: String
  let system: String
  let kernel: String
  let cores: Int
  let memoryMiB: Int

  static var current: SystemDescription {
    var names = utsname()
    let kernel = uname(&names) == 0 ? "\(text(names.release)) \(text(names.machine))" : "unknown"
    return SystemDescription(
      version: Gateway.version, libraries: HTTPTransport.libraries, system: distribution() ?? "unknown",
      kernel: kernel, cores: ProcessInfo.processInfo.activeProcessorCount,
      memoryMiB: Int(clamping: ProcessInfo.processInfo.physicalMemory >> 20))
  }

  var lines: [String] {
    [
      "dragoman \(version), \(libraries)",
      "\(system), Linux \(kernel), \(cores) cores, \(memoryMiB) MiB of memory",
    ]
  }

  var json: JSON {
    [
      "version": .string(version), "libraries": .string(libraries), "system": .string(system),
      "kernel": .string(kernel), "cores": JSON(cores), "memory_mib": JSON(memoryMiB),
    ]
  }

  /// The text of one of the C arrays of `utsname`.
  private static func text(_ characters: some Any) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// `PRETTY_NAME` of os-release(5); nil without that file.
  private static func distribution() -> String? {
    guard let bytes = try? RegularFile.read("/etc/os-release", bytesMax: 65_536) else { return nil }
    let key = "PRETTY_NAME="
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(key) }
    return line.map { $0.dropFirst(key.count).trimmingCharacters(in: CharacterSet(charactersIn: "\"'")) }
  }
}
