import Foundation
import Synchronization

/// A PostgreSQL server for the tests, in a temporary folder with a Unix socket. It stops, and
/// its folder is removed, whenever and however the test process ends.
package final class PostgresCluster: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Why a suite that needs the server is skipped.
  package static let absence =
    "PostgreSQL's server is not installed (Debian: postgresql-15), so that nothing of its store was tested"

  /// The folder of the newest server's programs; nil if none is installed.
  package static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    let newest = versions.compactMap(Int.init).sorted().last { version in
      FileManager.default.isExecutableFile(atPath: "\(root)/\(version)/bin/initdb")
    }
    guard let newest else {
      FileHandle.standardError.write(Data("WARNING: \(absence).\n".utf8))
      return nil
    }
    return "\(root)/\(newest)/bin"
  }()

  package static var isInstalled: Bool { programs != nil }

  private static let start = Mutex<Result<PostgresCluster, any Error>?>(nil)

  /// One server for all tests of a process; each test has its own schema.
  package static var shared: PostgresCluster {
    get throws {
      try start.withLock { start in
        let result = start ?? Result { try PostgresCluster() }
        start = result
        return try result.get()
      }
    }
  }

  private static let schemas = Atomic<Int>(0)

  /// The folder of its data and its socket.
  private let folder: String
  private let programs: String
  /// Runs the server, and cleans up when its standard input ends. Whatever starts a server has to live as
  /// long as that: Foundation waits for a process until all that it has begun is gone.
  private let guardian: Process
  private let orders: Pipe
  private let answers: Mutex<Pipe>

  package init() throws {
    guard let programs = Self.programs else { throw Failure(description: Self.absence) }
    self.programs = programs
    folder = FileManager.default.temporaryDirectory.appending(path: "dragoman-pg-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    orders = Pipe()
    let answers = Pipe()
    guardian = Process()
    guardian.executableURL = URL(filePath: "/bin/sh")
    guardian.arguments = ["-c", Self.guardianScript, "guardian", programs, folder]
    guardian.standardInput = orders
    guardian.standardOutput = answers
    try guardian.run()
    self.answers = Mutex(answers)
    try order("initdb")
    try begin()
  }

  deinit { try? orders.fileHandleForWriting.close() }

  /// The server refuses to run as root. The defaults on which durability depends are unchanged.
  private static let guardianScript = """
    cd "$2" && PATH="$1:$PATH"
    as() { "$@"; }
    if [ "$(id -u)" = 0 ]; then
      chown postgres .
      as() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
    fi
    settings="-c listen_addresses= -c max_connections=300 -k '$2'"
    while read -r order; do
      if case $order in
        initdb) as initdb -D data -A trust -U app --no-sync -E UTF8 --locale=C.UTF-8 ;;
        start) as pg_ctl -D data -s -w -t 30 -l data/server.log -o "$settings" start ;;
        crash) as pg_ctl -D data -s -m immediate -w stop ;;
      esac </dev/null >>control.log 2>&1; then echo done; else echo failed; fi
    done
    as pg_ctl -D data -s -m immediate -w stop >>control.log 2>&1
    cd / && rm -rf "$2"
    """

  private func order(_ order: String) throws {
    try answers.withLock { answers in
      try orders.fileHandleForWriting.write(contentsOf: Data("\(order)\n".utf8))
      guard String(decoding: answers.fileHandleForReading.availableData, as: UTF8.self) == "done\n" else {
        let said = (try? String(contentsOfFile: "\(folder)/control.log", encoding: .utf8)) ?? ""
        throw Failure(description: "\(order): \(said)")
      }
    }
  }

  @discardableResult
  private static func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let trouble = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        description: "\(program) ended with \(process.terminationStatus): "
          + String(decoding: trouble, as: UTF8.self))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Starts the server and waits until it accepts connections.
  package func begin() throws { try order("start") }

  /// Ends the server at once, as a crash would.
  package func crash() throws { try order("crash") }

  /// The URL of a new, empty schema.
  package func newSchema() throws -> (name: String, url: String) {
    let name = "s\(Self.schemas.add(1, ordering: .relaxed).newValue)"
    try query("CREATE SCHEMA \(name)")
    return (name, url(schema: name))
  }

  package func url(schema: String) -> String { "\(url)&options=-csearch_path%3D\(schema)" }

  private var url: String {
    "postgres://app@/postgres?host=\(folder.replacingOccurrences(of: "/", with: "%2F"))"
  }

  /// Runs SQL, in a schema if one is given, and returns the bare result.
  @discardableResult
  package func query(_ sql: String, schema: String? = nil) throws -> String {
    let text = try Self.run(
      "\(programs)/psql",
      ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql, schema.map(url) ?? url])
    return text.trimmingCharacters(in: .newlines)
  }
}
