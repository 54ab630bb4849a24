internal import Glibc

/// How many files and sockets this process may have open.
package enum OpenFileLimit {
  /// What stays for FCM, the queue, the webhook and the files of a reload when callers have opened as many
  /// connections as they may.
  private static let reserve = 512

  /// Raises the limit as far as the process may itself. On many systems it is 1,024 at first, for programs
  /// that use select(2), as none of the libraries here does.
  package static func raise() {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    // If the system refuses, `connections` counts with what there is.
    _ = setrlimit(resource, &limit)
  }

  static var current: Int {
    var limit = rlimit()
    return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : .max
  }

  /// How many of the `wanted` connections callers can have within `limit`.
  static func connections(_ wanted: Int, of limit: Int = current) -> Int {
    max(1, min(wanted, limit - min(reserve, limit / 2)))
  }

  private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
