import CPostgres

/// The URL of a PostgreSQL queue, in the form of libpq (PostgreSQL 15 manual, §34.1.1.2). No text of this
/// type except `libpqText` contains its password.
package struct PostgresURL: Sendable, Equatable, CustomStringConvertible {
  /// Why a text is not such a URL. Quotes nothing of it.
  package struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
      case scheme, zeroByte
      /// Its user or password seems to end in the host, the port or the path, where it would be shown.
      case unescaped
      /// libpq's reason, without the parts that may quote the text.
      case invalid(reason: String)
    }

    package let code: Code

    /// The reason, as the end of a sentence that begins with the field's name.
    package var description: String {
      switch code {
      case .scheme: "must begin with postgres://"
      case .zeroByte: "contains a zero byte"
      case .unescaped:
        "has a host or a port that cannot be one; in the user and the password, write @ as %40, / as %2F, : as %3A, "
          + "? as %3F and % as %25"
      case .invalid(let reason): "is not a PostgreSQL URL: \(reason)"
      }
    }
  }

  /// The text for libpq.
  package let libpqText: String
  /// The URL without its password and its parameters: `postgres://gateway@db.example:5432/queue`.
  package let description: String
  private let secrets: [String]

  package init(_ text: String) throws(ParseError) {
    guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
      throw ParseError(code: .scheme)
    }
    guard !text.utf8.contains(0) else { throw ParseError(code: .zeroByte) }
    var message: UnsafeMutablePointer<CChar>?
    let options = PQconninfoParse(text, &message)
    defer {
      PQconninfoFree(options)
      PQfreemem(message)
    }
    guard let options else {
      // The text after the first quotation mark may be the password.
      let reason = message.map { String(cString: $0) } ?? "out of memory"
      let safe = reason.prefix { $0 != "\"" && $0 != "\n" }.trimmingSuffix(of: [" ", ":"])
      throw ParseError(code: .invalid(reason: safe))
    }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    guard Self.isEscaped(text), Self.arePorts(values["port"] ?? "") else {
      throw ParseError(code: .unescaped)
    }
    libpqText = text
    description = Self.description(of: values)
    secrets = Self.secrets(of: values, in: text)
  }

  /// Whether the only @ before the parameters is the one that ends the user and the password. libpq takes the
  /// first one that comes before a slash, and the rest of a password with either for a host or a path.
  private static func isEscaped(_ text: String) -> Bool {
    let place = text.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "?" }
    guard let at = place.firstIndex(of: "@") else { return true }
    return !place[..<at].contains("/") && !place[place.index(after: at)...].contains("@")
  }

  /// Whether each of the ports, separated by commas, is a number or empty.
  private static func arePorts(_ text: String) -> Bool {
    text.split(separator: ",").allSatisfy { UInt16($0) != nil }
  }

  /// The same for people, with a mark for what is hidden.
  package var printed: String {
    let rest = description.dropFirst("postgres://".count)
    let parts = rest.split(separator: "@", maxSplits: 1)
    let place = parts.count == 2 && !secrets.isEmpty ? "\(parts[0]):(hidden)@\(parts[1])" : String(rest)
    return "postgres://\(place)" + (libpqText.contains("?") ? "?(hidden)" : "")
  }

  private static func description(of values: [String: String]) -> String {
    let hosts = (values["host"] ?? values["hostaddr"] ?? "").split(separator: ",").map { host in
      host.contains(":") ? "[\(host)]" : host.replacing("/", with: "%2F")
    }
    let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let places = hosts.enumerated().map { index, host in
      let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
      return port.isEmpty ? host : "\(host):\(port)"
    }
    let user = values["user"].map { "\($0)@" } ?? ""
    return "postgres://\(user)\(places.joined(separator: ","))/\(values["dbname"] ?? "")"
  }

  /// The secrets, decoded and as written in the URL, the longest first.
  private static func secrets(of values: [String: String], in text: String) -> [String] {
    var secrets = [values["password"], values["sslpassword"]].compactMap(\.self)
    let rest = text.drop { $0 != "/" }.dropFirst(2)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    if let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") {
      secrets.append(String(authority[authority.index(after: colon)..<at]))
    }
    for parameter in rest.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
      let parts = parameter.split(separator: "=", maxSplits: 1)
      if parts.count == 2, parts[0].hasSuffix("password") { secrets.append(String(parts[1])) }
    }
    return Set(secrets.filter { !$0.isEmpty }).sorted { $0.utf8.count > $1.utf8.count }
  }

  /// The text without a secret. A short one is only hidden as a word: it may well be a part of others.
  private static func hiding(_ text: String, _ secret: String) -> String {
    guard secret.count < 4 else { return text.replacing(secret, with: "(hidden)") }
    var (output, rest) = ("", text[...])
    while let found = rest.firstRange(of: secret) {
      let before = rest[..<found.lowerBound].last ?? output.last
      let after = rest[found.upperBound...].first
      let isWord = [before, after].allSatisfy { $0.map { !$0.isLetter && !$0.isNumber } ?? true }
      output += rest[..<found.lowerBound] + (isWord ? "(hidden)" : secret)
      rest = rest[found.upperBound...]
    }
    return output + rest
  }

  /// A message of libpq in one line, without the secrets that it may quote.
  package func redacted(_ text: String) -> String {
    let clean = secrets.reduce(text, Self.hiding)
    return clean.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0.isWhitespace } }
      .joined(separator: "; ")
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(of characters: Set<Character>) -> String {
    var text = String(self)
    while let last = text.last, characters.contains(last) { text.removeLast() }
    return text
  }
}
