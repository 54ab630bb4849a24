package import SQL

/// Why a text is not the URL of a queue. Quotes nothing of it, since it may have a password.
package struct QueueURLError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    case scheme
    /// What follows `sqlite:` names no file.
    case file(reason: String)
    case postgres(PostgresURL.ParseError)
  }

  package let code: Code

  /// The reason, as the end of a sentence that begins with the field's or the option's name.
  package var description: String {
    switch code {
    case .scheme: "must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE"
    case .file(let reason): reason
    case .postgres(let error): error.description
    }
  }
}

extension GatewayConfiguration.Queue.Store {
  /// The queue with a URL. A relative path stays relative.
  package init(url text: String) throws(QueueURLError) {
    if text.hasPrefix("sqlite:"), text.count > 7 {
      // As in a `file:` URL, three slashes begin an absolute path; after two, there would be a host.
      let path = String(text.dropFirst(text.hasPrefix("sqlite:///") ? 9 : 7))
      if let problem = Self.problem(of: path) { throw QueueURLError(code: .file(reason: problem)) }
      self = .sqlite(path: path)
      return
    }
    guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
      throw QueueURLError(code: .scheme)
    }
    do throws(PostgresURL.ParseError) {
      self = .postgres(try PostgresURL(text))
    } catch {
      throw QueueURLError(code: .postgres(error))
    }
  }

  /// Why what follows `sqlite:` names no file; nil if it does.
  private static func problem(of path: String) -> String? {
    if path.hasPrefix("//") {
      return "has two slashes before the path; write sqlite:PATH, such as sqlite:data/queue.db or "
        + "sqlite:/var/lib/dragoman/queue.db"
    }
    if path == ":memory:" {
      return "names no file, so that a restart would lose what was accepted; write sqlite:PATH"
    }
    if path.contains("?") { return "has parameters, which a SQLite queue does not take; write sqlite:PATH" }
    return nil
  }
}
