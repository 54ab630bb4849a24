import Foundation
import Testing

@testable import Outbox
@testable import SQL

/// pgbouncer in front of a test's server, over a Unix socket in a temporary folder. It ends with the test
/// process at the latest.
final class PgBouncer: Sendable {
  static let absence = "pgbouncer is not installed (Debian: pgbouncer), so that nothing was tested behind it"

  static let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static var isInstalled: Bool { program != nil }

  private let folder: String
  private let process: Process

  /// Pools connections to the server of `url`, whose parameter `host` is the folder of its socket.
  init(mode: String, serverOf url: String) throws {
    let query = try #require(URLComponents(string: url)?.queryItems)
    let host = try #require(query.first { $0.name == "host" }?.value)
    folder = FileManager.default.temporaryDirectory.appending(path: "bouncer-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try """
    [databases]
    postgres = host=\(host) dbname=postgres user=app
    [pgbouncer]
    listen_port = 6432
    listen_addr =
    unix_socket_dir = \(folder)
    auth_type = any
    pool_mode = \(mode)
    ignore_startup_parameters = extra_float_digits,options
    """.write(toFile: folder + "/pgbouncer.ini", atomically: true, encoding: .utf8)
    process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    // pgbouncer refuses to run as root.
    let asItself = getuid() == 0 ? "--reuid=postgres --regid=postgres --init-groups" : ""
    process.arguments = [
      "-c",
      """
      [ "$(id -u)" != 0 ] || chown -R postgres "$1"
      exec setpriv --pdeathsig KILL \(asItself) "$2" -q "$1/pgbouncer.ini"
      """, "pgbouncer", folder, try #require(Self.program),
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
    _ = try? FileManager.default.removeItem(atPath: folder)
  }

  /// Its socket has a name before it accepts connections.
  var isListening: Bool { (try? PostgresConnection(PostgresURL(url))) != nil }

  var url: String {
    "postgres://app@/postgres?port=6432&host=\(folder.replacingOccurrences(of: "/", with: "%2F"))"
  }
}
