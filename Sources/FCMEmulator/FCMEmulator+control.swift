internal import FCMMessage
internal import HTTPServer
package import JSON
internal import Synchronization

/// The endpoints that only the emulator has: the inbox, the faults and the counts.
extension FCMEmulator {
  /// `GET /inbox?limit=&token=&topic=`: `count` is the number of all matches, `messages` the newest `limit`
  /// of them, by default as many as fit into `EmulatorLimits.inboxBytes`.
  func listInbox(_ head: HTTPRequestHead) -> HTTPResponse {
    guard let items = head.queryItems() else { return badRequest("The query is malformed.") }
    var filter = MessageInboxFilter()
    var limit: Int?
    for (name, value) in items {
      switch name {
      case "token": filter.token = value
      case "topic": filter.topic = value
      case "limit":
        guard let number = Int(value), number >= 0 else {
          return badRequest("limit must be an integer of 0 or more.")
        }
        limit = number
      default: return badRequest("Unknown parameter; the parameters are limit, token and topic.")
      }
    }
    let matching = state.withLock { $0.inbox.newestFirst }.filter(filter.matches)
    var writer = JSONWriter()
    writer.appendRaw("{\"count\":")
    writer.append(JSON(matching.count))
    writer.appendRaw(",\"messages\":[")
    for (index, entry) in matching.prefix(limit ?? matching.count).enumerated() {
      let end = writer.bytes.count
      if index > 0 { writer.appendRaw(",") }
      entry.appendJSON(to: &writer)
      if limit == nil, writer.bytes.count + 2 > EmulatorLimits.inboxBytes {
        writer.bytes.removeSubrange(end...)
        break
      }
    }
    writer.appendRaw("]}")
    return HTTPResponse(status: 200, json: writer.bytes)
  }

  /// The number of messages in the inbox, and the newest of them as `GET /inbox` shows them: at most `limit`,
  /// and only those that arrived after the message named `last`.
  package func newestMessages(after last: String?, limit: Int) -> (count: Int, messages: [JSON]) {
    let inbox = state.withLock { $0.inbox }
    let messages = inbox.newestFirst.prefix { entry in
      last.map { !entry.name.hasSameBytes(as: $0) } ?? true
    }.prefix(limit).compactMap { entry in
      var writer = JSONWriter()
      entry.appendJSON(to: &writer)
      return try? JSON.parse(writer.bytes)
    }
    return (inbox.count, messages)
  }

  func emptyInbox() -> HTTPResponse {
    state.withLock { $0.inbox.removeAll() }
    return HTTPResponse(status: 200, json: ["count": 0, "messages": []])
  }

  func readFaults() -> HTTPResponse { HTTPResponse(status: 200, json: state.withLock { $0.faults.json }) }

  /// Replaces all rules by those of `{"rules":[…]}`.
  /// - Throws: all problems at once; the rules stay as they were.
  package func replaceFaults(with json: JSON) throws(FaultListError) {
    let faults = try FaultList(json: json)
    state.withLock { $0.faults = faults }
  }

  /// `PUT /faults`: replaces all rules, or none if one of them is invalid.
  func replaceFaults(_ body: [UInt8]) -> HTTPResponse {
    do {
      try replaceFaults(with: JSON.parse(body))
      return readFaults()
    } catch let error as JSONParseError {
      return badRequest("The body is not JSON: \(error.description)")
    } catch let error as FaultListError {
      return HTTPResponse(.schema(error.problems))
    } catch {
      return HTTPResponse(GoogleAPIError(status: 500, message: "Internal error encountered."))
    }
  }

  func stats() -> HTTPResponse {
    let json = state.withLock { state in
      var json = state.counters.json
      json["inbox"] = ["count": JSON(state.inbox.count)]
      return json
    }
    return HTTPResponse(status: 200, json: .object(json))
  }

  private func badRequest(_ message: String) -> HTTPResponse {
    HTTPResponse(GoogleAPIError(status: 400, message: message))
  }
}

/// Counts how often each answer was given.
struct AnswerCounters {
  private var sends: [String: Int] = [:]
  private var tokens: [String: Int] = [:]

  mutating func countSend(_ label: String) { Self.count(label, in: &sends) }
  mutating func countToken(_ label: String) { Self.count(label, in: &tokens) }

  /// `{"answers":{"200":5,"404 UNREGISTERED":1,"closed":1},"token_answers":{"200":1}}`.
  var json: JSON.Object {
    .init([("answers", Self.json(of: sends)), ("token_answers", Self.json(of: tokens))])
  }

  private static func count(_ label: String, in counts: inout [String: Int]) {
    let isKnown = counts[label] != nil || counts.count < EmulatorLimits.countedAnswersMax
    counts[isKnown ? label : "other", default: 0] += 1
  }

  private static func json(of counts: [String: Int]) -> JSON {
    .object(.init(counts.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) }))
  }
}
