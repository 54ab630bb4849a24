import CPostgres

/// The URL of a PostgreSQL queue, in the form of libpq (PostgreSQL 15 manual, §34.1.1.2). No text of this
/// type except `libpqText` contains its password.
package struct PostgresURL: Sendable, Equatable {
  /// Why a text is not such a URL. Quotes nothing of it.
  package struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
      case scheme, zeroByte
      /// libpq's reason, without the parts that may quote the text.
      case invalid(reason: String)
    }

    package let code: Code

    /// The reason, as the end of a sentence that begins with the field's name.
    package var description: String {
      switch code {
      case .scheme: "must begin with postgres://"
      case .zeroByte: "contains a zero byte"
      case .invalid(let reason): "is not a PostgreSQL URL: \(reason)"
      }
    }
  }

  /// The text for libpq.
  let libpqText: String
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
    libpqText = text
    description = Self.description(of: values)
    secrets = Self.secrets(of: values, in: text)
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

  /// A message of libpq in one line, without the secrets that it may quote.
  func redacted(_ text: String) -> String {
    let clean = secrets.reduce(text) { $0.replacing($1, with: "(hidden)") }
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
