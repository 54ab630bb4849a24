import Gateway
import Glibc

/// The process's arguments. Swift searches for them below `environ` and finds none if a preloaded library has
/// set a variable and so moved `environ`; /proc still has them.
func processArguments() -> [String] {
  let given = CommandLine.arguments
  guard given.isEmpty, let file = fopen("/proc/self/cmdline", "r") else { return given }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
  return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
    .map { String(decoding: $0, as: UTF8.self) }
}

let arguments = processArguments().dropFirst()

func overview() -> String {
  let width = (Command.all.map(\.name.count).max() ?? 0) + 2
  let lines = Command.all.map { command in
    "  \(command.name)\(String(repeating: " ", count: width - command.name.count))\(command.summary)"
  }
  return """
    Usage: dragoman COMMAND [options]

    A localization-aware push gateway for Firebase Cloud Messaging.

    Commands:
    \(lines.joined(separator: "\n"))

    `dragoman help COMMAND` describes a command. Exit codes: 0 success, 1 failure or findings, 2 usage or
    configuration error.

    """
}

/// The command of this name; nil, after a message, if there is none.
func command(named name: String) -> Command? {
  if let command = Command.all.first(where: { $0.name == name }) { return command }
  let isOption = name.hasPrefix("-")
  let known = (isOption ? [] : Command.all.map(\.name)) + Options.everywhere
  let kind = isOption ? "option" : "command"
  let help = suggestion(for: name, among: known, prefix: isOption ? "--" : "", of: "\(kind)s")
  Output.note("dragoman: unknown \(kind) \(name)\(help)")
  return nil
}

/// `dragoman help COMMAND`.
func help(_ name: String) -> ExitCode {
  guard let command = command(named: name) else { return .usage }
  Output.print(command.help)
  return .success
}

func run(_ arguments: ArraySlice<String>) async -> ExitCode {
  switch arguments.first {
  case nil:
    Output.note(overview())
    return .usage
  case "help" where arguments.count > 1:
    return help(arguments.dropFirst().first ?? "")
  case "--help", "-h", "help":
    Output.print(overview())
    return .success
  case "--version", "version":
    Output.print("dragoman \(Gateway.version)")
    return .success
  default: break
  }
  guard let command = command(named: arguments.first ?? "") else { return .usage }
  let rest = arguments.dropFirst()
  let ownArguments = rest.prefix { $0 != "--" }
  if ownArguments.contains("--help") || ownArguments.contains("-h") {
    Output.print(command.help)
    return .success
  }
  if ownArguments.contains("--version") {
    Output.print("dragoman \(Gateway.version)")
    return .success
  }
  do {
    return try await command.run(
      Options(rest, syntax: command.options.map(\.syntax), positionalsMax: command.positionalsMax))
  } catch let error as UsageError {
    Output.note("dragoman \(command.name): \(error.message)")
    return .usage
  } catch {
    Output.note("dragoman \(command.name): \(error)")
    return .usage
  }
}

OpenFileLimit.raise()

// Before anything waits for another thread.
if ["serve", "dev"].contains(arguments.first), let shortage = ThreadShortage.atStart() {
  Output.note("dragoman: \(shortage)")
  exit(ExitCode.failure.rawValue)
}

exit(await run(arguments).rawValue)
