internal import Glibc

/// The `process_*` metrics of Prometheus' client libraries, read from /proc at each scrape.
package enum ProcessMetrics {
  /// Declares the metrics. A metric is absent if /proc does not have its value or cannot be read.
  package static func register(in registry: MetricsRegistry, proc: String = "/proc") {
    let cpu = registry.collected(
      "process_cpu_seconds_total", .counter, help: "User and system CPU time used.", unit: .seconds)
    let resident = registry.collected(
      "process_resident_memory_bytes", help: "Resident memory size.", unit: .bytes)
    let virtual = registry.collected(
      "process_virtual_memory_bytes", help: "Virtual memory size.", unit: .bytes)
    let start = registry.collected(
      "process_start_time_seconds", help: "Start time of the process since the Unix epoch.", unit: .seconds)
    let threads = registry.collected("process_threads", help: "Number of threads.")
    let open = registry.collected("process_open_fds", help: "Open file descriptors.")
    let max = registry.collected("process_max_fds", help: "Maximum number of open file descriptors.")
    registry.collect { collection in
      let figures = ProcessFigures(proc: proc)
      for (family, figure) in [
        (cpu, figures.cpuSeconds), (resident, figures.residentBytes), (virtual, figures.virtualBytes),
        (start, figures.startSeconds), (threads, figures.threads), (open, figures.openDescriptors),
        (max, figures.descriptorsMax),
      ] {
        if let figure { collection.set(family, to: figure) }
      }
    }
  }
}

/// The current values of this process in /proc (proc(5)); nil if it does not have them.
struct ProcessFigures: Sendable, Equatable {
  var cpuSeconds: Double?
  var residentBytes: Double?
  var virtualBytes: Double?
  /// The start time, since the Unix epoch.
  var startSeconds: Double?
  var threads: Double?
  var openDescriptors: Double?
  /// The limit of open file descriptors; infinite if there is none.
  var descriptorsMax: Double?

  init(proc: String) {
    let ticksPerSecond = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    if let stat = Self.text(of: "\(proc)/self/stat") {
      // The second field, the command in parentheses, can itself contain spaces and parentheses.
      let fields = stat.suffix(from: stat.lastIndex(of: ")") ?? stat.endIndex).split(separator: " ")
      func figure(_ number: Int) -> Double? {
        fields.indices.contains(number - 2) ? Double(fields[number - 2]) : nil
      }
      if let user = figure(14), let system = figure(15) { cpuSeconds = (user + system) / ticksPerSecond }
      threads = figure(20)
      virtualBytes = figure(23)
      residentBytes = figure(24).map { $0 * Double(max(1, sysconf(Int32(_SC_PAGESIZE)))) }
      if let boot = Self.bootSeconds(proc), let ticks = figure(22) {
        startSeconds = boot + ticks / ticksPerSecond
      }
    }
    openDescriptors = Self.entries(of: "\(proc)/self/fd").map(Double.init)
    descriptorsMax = Self.descriptorsMax(proc)
  }

  private static func bootSeconds(_ proc: String) -> Double? {
    text(of: "\(proc)/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }
      .flatMap { Double($0.dropFirst("btime ".count)) }
  }

  private static func descriptorsMax(_ proc: String) -> Double? {
    let name = "Max open files"
    guard
      let line = text(of: "\(proc)/self/limits")?.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
      let soft = line.dropFirst(name.count).split(separator: " ").first
    else { return nil }
    return soft == "unlimited" ? .infinity : Double(soft)
  }

  /// The text of a file in /proc, whose size is unknown in advance; nil if it cannot be read.
  private static func text(of path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1_024)
    while bytes.count < 1 << 20 {
      let count = read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes += chunk.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The number of entries in a folder of descriptors, without the descriptor that reads it.
  private static func entries(of path: String) -> Int? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var count = 0
    // The entries include "." and "..", which are subtracted below.
    while readdir(folder) != nil { count += 1 }
    return max(0, count - 3)
  }
}
