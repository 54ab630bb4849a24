import Gateway
import Glibc

/// Swift looks for the arguments below `environ`, and finds none once a preloaded library has set a variable and so
/// moved that. The kernel still knows them.
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

    A localization-aware push gateway in front of Firebase Cloud Messaging.

    Commands:
    \(lines.joined(separator: "\n"))

    `dragoman COMMAND --help` says more about one. Exit codes: 0 done, 1 the answer is no, 2 usage or configuration.

    """
}

func run(_ arguments: ArraySlice<String>) async -> ExitCode {
  switch arguments.first {
  case nil:
    Console.note(overview())
    return .usage
  case "--help", "-h", "help":
    Console.print(overview())
    return .done
  case "--version", "version":
    Console.print("dragoman \(Gateway.version)")
    return .done
  default: break
  }
  guard let command = Command.all.first(where: { $0.name == arguments.first }) else {
    let names = Command.all.map(\.name).joined(separator: ", ")
    Console.note("dragoman: unknown command \(arguments.first ?? ""); the commands are \(names)")
    return .usage
  }
  let rest = arguments.dropFirst()
  let ownArguments = rest.prefix { $0 != "--" }
  if ownArguments.contains("--help") || ownArguments.contains("-h") {
    Console.print(command.help)
    return .done
  }
  if ownArguments.contains("--version") {
    Console.print("dragoman \(Gateway.version)")
    return .done
  }
  do {
    return try await command.run(
      Options(rest, syntax: command.options.map(\.syntax), wordsMax: command.wordsMax))
  } catch let error as UsageError {
    Console.note("dragoman \(command.name): \(error.message)\nUsage: dragoman \(command.usage)")
    return .usage
  } catch {
    Console.note("dragoman \(command.name): \(error)")
    return .usage
  }
}

exit(await run(arguments).rawValue)
