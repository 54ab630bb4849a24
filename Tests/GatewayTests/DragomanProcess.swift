import Foundation
import Synchronization

/// The executable that was built beside the tests, running.
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

  init(_ arguments: [String]) throws {
    let output = Pipe()
    process = Self.make(arguments)
    process.standardOutput = output
    lines = LineReader(output.fileHandleForReading)
    try process.run()
  }

  /// Runs a command to its end.
  static func run(_ arguments: [String]) throws -> Result {
    let process = make(arguments)
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let outputText = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let errorText = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Result(status: process.terminationStatus, output: outputText, errors: errorText)
  }

  /// The URL in the line that begins so; waits for it.
  func address(after prefix: String) throws -> String {
    guard let line = lines.line(startingWith: prefix) else {
      throw Failure(description: "no line begins with \"\(prefix)\"")
    }
    return String(line.dropFirst(prefix.count))
  }

  /// SIGTERM, and the exit status that it leads to.
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

  private static func make(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    return process
  }
}

/// Lines of a pipe, kept until somebody asks for one.
private final class LineReader: Sendable {
  private let handle: FileHandle
  private let state = Mutex<(bytes: [UInt8], lines: [String])>(([], []))

  init(_ handle: FileHandle) { self.handle = handle }

  func line(startingWith prefix: String) -> String? {
    state.withLock { state in
      while true {
        if let line = state.lines.first(where: { $0.hasPrefix(prefix) }) { return line }
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
