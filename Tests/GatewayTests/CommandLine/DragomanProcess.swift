import Foundation
import Synchronization

/// A running process of the executable that was built with the tests.
final class DragomanProcess: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  struct Result: Sendable {
    let status: Int32
    let output: String
    let errors: String
  }

  private let process: Process
  private let lines: LineReader

  /// Its stderr goes to `log`, otherwise nowhere; `environment` is added to the tests' own.
  init(_ arguments: [String], environment: [String: String] = [:], log: CollectedText? = nil) throws {
    let output = Pipe()
    process = Self.make(arguments, environment)
    process.standardOutput = output
    if let log { process.standardError = log.pipe }
    lines = LineReader(output.fileHandleForReading)
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
    try process.run()
    let outputText = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let errorText = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Result(status: process.terminationStatus, output: outputText, errors: errorText)
  }

  var id: pid_t { process.processIdentifier }

  /// SIGHUP.
  func reload() { Foundation.kill(process.processIdentifier, SIGHUP) }

  /// All of stdout, after it has exited.
  func output() -> String { lines.all() }

  /// The URL in the line that begins so; waits for it.
  func address(after prefix: String) throws -> String {
    String(try line(startingWithOneOf: [prefix]).dropFirst(prefix.count))
  }

  /// The first line that begins with one of `prefixes`; waits for it.
  @discardableResult
  func line(startingWithOneOf prefixes: [String]) throws -> String {
    guard let line = lines.line(startingWithOneOf: prefixes) else {
      throw Failure(description: "no line begins with one of \(prefixes)")
    }
    return line
  }

  /// Sends SIGTERM and returns the exit status.
  func terminate() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// SIGKILL.
  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
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

/// The lines of a pipe, kept until they are read.
private final class LineReader: Sendable {
  private let handle: FileHandle
  private let state = Mutex<(bytes: [UInt8], lines: [String])>(([], []))

  init(_ handle: FileHandle) { self.handle = handle }

  func all() -> String {
    state.withLock { state in
      let rest = String(decoding: state.bytes + Array(handle.readDataToEndOfFile()), as: UTF8.self)
      return (state.lines + [rest]).joined(separator: "\n")
    }
  }

  func line(startingWithOneOf prefixes: [String]) -> String? {
    state.withLock { state in
      while true {
        if let line = state.lines.first(where: { prefixes.contains(where: $0.hasPrefix) }) { return line }
        let data = handle.availableData
        guard !data.isEmpty else { return nil }
        state.bytes += data
        while let end = state.bytes.firstIndex(of: 10) {
          state.lines.append(String(decoding: state.bytes[..<end], as: UTF8.self))
          state.bytes.removeSubrange(...end)
        }
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
