import API

extension Command {
  static let keys = Command(
    name: "keys",
    usage: "keys new NAME [--scope S]…",
    summary: "Makes an API key: prints it once, with the configuration that holds only its SHA-256.",
    options: [
      (.list("scope"), "send, read, preview or admin; send and read by default")
    ],
    wordsMax: 2
  ) { options in
    guard options.words.first == "new", options.words.count == 2, let name = options.words.last else {
      throw UsageError(message: "say: keys new NAME")
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
        message: "the name \(name): 1 to 64 letters, digits, \"-\", \"_\" and \".\" are expected")
    }
    var scopes: [String] = []
    for text in options.has("scope") ? options.all("scope") : ["send", "read"] where !scopes.contains(text) {
      guard APIScope(rawValue: text) != nil else {
        let known = APIScope.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError(message: "--scope \(text): must be \(known)")
      }
      scopes.append(text)
    }
    guard let key = APIKey() else {
      Console.note("dragoman keys: the system gives no random numbers")
      return .no
    }
    Console.print(
      """
      \(key.text)

      # The key above is not kept anywhere: give it to the client now. These lines go into the configuration:
      \(key.configuration(name: name, scopes: scopes))
      """)
    return .done
  }
}
