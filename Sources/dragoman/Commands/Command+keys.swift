import API
import YAML

extension Command {
  static let keys = Command(
    name: "keys",
    usage: "keys new NAME [--scope S]…",
    summary: "Creates an API key and prints it once, with the configuration that holds only its SHA-256.",
    options: [
      (.list("scope"), "send, read, preview, raw or admin; repeatable; send and read by default")
    ],
    positionalsMax: 2
  ) { options in
    if let action = options.positionals.first, action != "new" {
      throw UsageError(
        message: "unknown action \(action)\(suggestion(for: action, among: ["new"], of: "actions"))")
    }
    guard let name = options.positionals.dropFirst().first else {
      throw UsageError(message: "missing arguments; use keys new NAME")
    }
    let isPlain =
      (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
    guard isPlain else {
      throw UsageError(
        message: "invalid name \(name); it must be 1 to 64 letters, digits, \"-\", \"_\" or \".\"")
    }
    // As `null` or `42`, it would be no text.
    let isText =
      name.utf8.first != UInt8(ascii: "-") && YAMLNode.Scalar(text: name, style: .plain).value == .string
    var scopes: [String] = []
    for text in options.has("scope") ? options.all("scope") : ["send", "read"] where !scopes.contains(text) {
      guard APIScope(rawValue: text) != nil else {
        let known = APIScope.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError(message: "--scope \(text): must be one of \(known)")
      }
      scopes.append(text)
    }
    guard let key = APIKey() else {
      Output.note("dragoman keys: the system provides no random numbers; no key was created")
      return .failure
    }
    Output.print(
      """
      \(key.text)

      # The key above is not stored anywhere, so give it to the client now. Add to the configuration:
      \(key.configuration(name: isText ? name : "\"\(name)\"", scopes: scopes))
      """)
    return .success
  }
}
