internal import CLinux
internal import Glibc

/// Keeps the memory of this process out of core dumps and from other processes.
package enum MemoryDumps {
  /// Excludes the memory of this process from core dumps: their size is limited to zero, and dumps that a
  /// handler takes regardless contain no mapping (core(5), `coredump_filter`). Unless Swift's crash reports
  /// need to read /proc, other processes of the same user can neither attach to it nor read its memory and
  /// environment (prctl(2), PR_SET_DUMPABLE). False if the kernel refuses.
  package static func forbid(keepsCrashReports: Bool = MemoryDumps.crashReportsAreAskedFor) -> Bool {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    let isLimited = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0
    // Must come first: once the process is not dumpable, these files belong to root.
    let isFiltered = write("0", to: "/proc/self/coredump_filter")
    if keepsCrashReports { return isLimited && isFiltered }
    return dragoman_forbid_dumps() == 0
  }

  static var areForbidden: Bool { dragoman_may_be_dumped() == 0 }

  /// Whether `SWIFT_BACKTRACE` enables them.
  package static var crashReportsAreAskedFor: Bool {
    guard let settings = getenv("SWIFT_BACKTRACE").map({ String(cString: $0) }) else { return false }
    return ["enable=yes", "enable=on", "enable=true"].contains { settings.contains($0) }
  }

  private static func write(_ text: String, to path: String) -> Bool {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    return Glibc.write(file, text, text.utf8.count) == text.utf8.count
  }
}

extension GatewayConfiguration {
  /// Whether serving it loads API keys, credentials, webhook secrets or a TLS key into memory.
  package var holdsSecrets: Bool {
    !auth.clients.isEmpty || webhook != nil || server.tls != nil || apps.contains { $0.credentials != .none }
  }
}
