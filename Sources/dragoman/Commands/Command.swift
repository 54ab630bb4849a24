import Glibc

/// The exit code of a command.
enum ExitCode: Int32 {
  case success = 0
  /// The command ran, but found errors or could not do its task.
  case failure = 1
  /// The command line or the configuration is wrong.
  case usage = 2
}

/// One of `dragoman`'s commands.
struct Command: Sendable {
  let name: String
  let usage: String
  let summary: String
  /// What `--help` says besides.
  var details = ""
  let options: [(syntax: OptionSyntax, help: String)]
  /// The maximum number of positional arguments.
  var positionalsMax = 0
  let run: @Sendable (Options) async throws -> ExitCode

  static let all: [Command] = [
    .serve, .dev, .emulator, .check, .preview, .plurals, .releases, .strings, .initialize, .send,
    .notifications, .queue, .doctor, .healthcheck, .keys,
  ]

  /// The text of `--help`.
  var help: String {
    let width = (options.map { $0.syntax.name.count }.max() ?? 0) + 2
    let lines = options.map { option in
      let name = "--" + option.syntax.name
      return "  \(name)\(String(repeating: " ", count: width - name.count + 2))\(option.help)"
    }
    let list = lines.isEmpty ? "" : "\n\nOptions:\n" + lines.joined(separator: "\n")
    let more = details.isEmpty ? "" : "\n\n\(details)"
    return "Usage: dragoman \(usage)\n\n\(summary)\(list)\(more)\n"
  }
}

/// The command's output: results on stdout, messages on stderr.
enum Output {
  /// Writes a result, or a piece of one, to stdout.
  ///
  /// If that fails, the process exits with 1, because a full disk must not look like a short result.
  static func print(_ text: String, terminator: String = "\n") {
    guard !write(text + terminator, to: STDOUT_FILENO), errno != EPIPE else { return }
    note("dragoman: cannot write the result: \(String(cString: strerror(errno)))")
    exit(ExitCode.failure.rawValue)
  }

  /// Writes a message to stderr.
  static func note(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  /// Writes a new file. Returns why that failed; nil if it succeeded.
  static func create(_ path: String, _ text: String) -> String? {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      return errno == EEXIST ? "it exists already; remove it, or name another file" : reason
    }
    let failure = write(text, to: descriptor) ? nil : String(cString: strerror(errno))
    return close(descriptor) == 0 ? failure : failure ?? String(cString: strerror(errno))
  }

  /// Writes all of `text`; returns false, with `errno` set, if that fails.
  @discardableResult static func write(_ text: String, to descriptor: Int32) -> Bool {
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let count = bytes[start...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      start += count
    }
    return true
  }
}
