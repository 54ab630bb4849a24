import Foundation
import Synchronization

/// A running process of the executable that was built with the tests. Every wait for it has a deadline, after
/// which it is killed.
final class DragomanProcess: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  struct Result: Sendable {
    let status: Int32
    let output: String
    let errors: String
  }

  /// How long a process may take to print a line or to end; much longer than any does on a busy machine.
  private static let waitMax = Duration.seconds(120)

  private let process: Process
  private let exit: Exit
  private let printed: PipeReader

  /// Its stderr goes to `log`, otherwise nowhere; `environment` is added to the tests' own.
  init(_ arguments: [String], environment: [String: String] = [:], log: CollectedText? = nil) throws {
    let pipe = Pipe()
    process = Self.make(arguments, environment)
    process.standardOutput = pipe
    if let log { process.standardError = log.pipe }
    printed = PipeReader(pipe)
    exit = Exit(of: process)
    try process.run()
  }

  /// Runs a command to its end.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil
  ) throws -> Result {
    let process = make(arguments, environment)
    if let folder { process.currentDirectoryURL = URL(filePath: folder) }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    let (outputReader, errorReader) = (PipeReader(output), PipeReader(errors))
    let exit = Exit(of: process)
    try process.run()
    let deadline = ContinuousClock.now + waitMax
    do {
      try PipeReader.readToEnd([outputReader, errorReader], until: deadline)
    } catch {
      Foundation.kill(process.processIdentifier, SIGKILL)
      throw error
    }
    return Result(
      status: exit.status(killingAt: deadline), output: outputReader.text, errors: errorReader.text)
  }

  var id: pid_t { process.processIdentifier }

  /// SIGHUP.
  func reload() { Foundation.kill(process.processIdentifier, SIGHUP) }

  /// All of stdout, after it has exited.
  func output() throws -> String {
    try PipeReader.readToEnd([printed], until: .now + Self.waitMax)
    return printed.text
  }

  /// The URL in the line that begins so; waits for it.
  func address(after prefix: String) throws -> String {
    String(try line(startingWithOneOf: [prefix]).dropFirst(prefix.count))
  }

  /// The first line that begins with one of `prefixes`; waits for it.
  @discardableResult
  func line(startingWithOneOf prefixes: [String]) throws -> String {
    let deadline = ContinuousClock.now + Self.waitMax
    while true {
      if let line = printed.lines.first(where: { prefixes.contains(where: $0.hasPrefix) }) { return line }
      guard try printed.readMore(until: deadline) else {
        throw Failure(description: "no line begins with one of \(prefixes)")
      }
    }
  }

  /// Sends SIGTERM and returns the exit status; SIGKILL's if it does not end.
  func terminate() -> Int32 {
    process.terminate()
    return exit.status(killingAt: .now + Self.waitMax)
  }

  /// SIGKILL.
  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    _ = exit.status(killingAt: .now + Self.waitMax)
  }

  static let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "dragoman")

  private static func make(_ arguments: [String], _ environment: [String: String]) -> Process {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    if !environment.isEmpty {
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    }
    process.standardError = FileHandle.nullDevice
    return process
  }
}

/// The end of a process.
private final class Exit: Sendable {
  private let process: Process
  private let hasEnded = DispatchSemaphore(value: 0)

  /// Before the process runs.
  init(of process: Process) {
    self.process = process
    process.terminationHandler = { [hasEnded] _ in hasEnded.signal() }
  }

  /// Waits for the end, and from the deadline on for that of a killed process.
  func status(killingAt deadline: ContinuousClock.Instant) -> Int32 {
    let left = deadline - .now
    let isLate = hasEnded.wait(timeout: .now() + .seconds(max(0, Int(left.components.seconds)))) == .timedOut
    if isLate {
      kill(process.processIdentifier, SIGKILL)
      hasEnded.wait()
    }
    // Another caller finds it ended, too.
    hasEnded.signal()
    // Without it, Foundation keeps the process and its descriptors.
    process.waitUntilExit()
    return process.terminationStatus
  }
}

/// Reads a pipe up to a deadline, and keeps what it has read.
private final class PipeReader: Sendable {
  private let handle: FileHandle
  private let state = Mutex<(bytes: [UInt8], hasEnded: Bool)>(([], false))

  init(_ pipe: Pipe) { handle = pipe.fileHandleForReading }

  var text: String { String(decoding: state.withLock(\.bytes), as: UTF8.self) }

  /// The lines that are complete.
  var lines: [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Reads all pipes to their ends.
  static func readToEnd(_ readers: [PipeReader], until deadline: ContinuousClock.Instant) throws {
    while true {
      let open = readers.filter { !$0.state.withLock(\.hasEnded) }
      guard !open.isEmpty else { return }
      try read(open, until: deadline)
    }
  }

  /// Waits for more; false at the end.
  func readMore(until deadline: ContinuousClock.Instant) throws -> Bool {
    guard !state.withLock(\.hasEnded) else { return false }
    try Self.read([self], until: deadline)
    return !state.withLock(\.hasEnded)
  }

  /// Reads what one of the pipes has, once one has something.
  private static func read(_ readers: [PipeReader], until deadline: ContinuousClock.Instant) throws {
    var polled = readers.map {
      pollfd(fd: $0.handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
    }
    let left = (deadline - .now).components.seconds
    let count = left < 0 ? 0 : poll(&polled, nfds_t(polled.count), Int32(clamping: left * 1_000 + 1))
    if count < 0, errno == EINTR { return }
    guard count > 0 else {
      throw DragomanProcess.Failure(
        description: "the process printed no more in time, after: \(readers.map(\.text))")
    }
    for (reader, polled) in zip(readers, polled) where polled.revents != 0 {
      let part = reader.handle.availableData
      reader.state.withLock { state in
        if part.isEmpty { state.hasEnded = true } else { state.bytes += part }
      }
    }
  }
}

/// The output of a process so far.
final class CollectedText: Sendable {
  let pipe = Pipe()
  private let condition = NSCondition()
  private let bytes = Mutex<[UInt8]>([])

  init() {
    pipe.fileHandleForReading.readabilityHandler = { [self] handle in
      let data = handle.availableData
      if data.isEmpty { handle.readabilityHandler = nil }
      condition.lock()
      bytes.withLock { $0 += data }
      condition.broadcast()
      condition.unlock()
    }
  }

  var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

  /// Waits until it contains `words` `count` times; returns whether that happened within 30 s.
  func wait(for words: String, count: Int) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 30)
    condition.lock()
    defer { condition.unlock() }
    while text.components(separatedBy: words).count <= count {
      guard condition.wait(until: deadline) else { return false }
    }
    return true
  }
}
