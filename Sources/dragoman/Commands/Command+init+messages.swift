import AppArchives
import AppStrings
import CatalogCheck
import FCMMessage
import Foundation
import JSON

extension Command {
  /// The messages that are read; the newest ones of an inbox.
  private static let messagesMax = 2_000
  private static let fileBytesMax = 64 << 20

  /// `dragoman init --from-messages`.
  static func draft(from source: String, _ options: Options) async throws -> ExitCode {
    for name in ["prefix", "key", "all"] where options.has(name) {
      throw UsageError(message: "--\(name) does not go with --from-messages")
    }
    let isAddress = ["http://", "https://", "unix:"].contains { source.hasPrefix($0) }
    let messages: [JSON]
    do throws(MessagesError) {
      messages = isAddress ? try await read(url: source, options) : try read(file: source)
    } catch {
      Output.note("dragoman init: \(source.printable): \(error.reason)")
      return .failure
    }
    guard !messages.isEmpty else {
      Output.note("dragoman init: \(source.printable) has no messages yet; send some first")
      return .failure
    }
    // Params can be named without strings.
    let isChosen = options.has("android") || options.has("ios") || !options.positionals.isEmpty
    let paths = isChosen ? try options.resourcePaths() : (try? options.resourcePaths()) ?? FoundResources()
    for note in paths.notes { Output.note(note) }
    let android = paths[.android].map { StringResources.read(.android, from: $0) }
    let ios = paths[.ios].map { StringResources.read(.ios, from: $0) }
    for problem in (android?.problems ?? []) + (ios?.problems ?? []) { Output.note(problem.text) }
    let catalog = MessageCatalog(
      messages, android: android, ios: ios,
      movedFrom: CatalogPlace(
        file: options["output"] ?? "catalog.yaml", currentFolder: Terminal.currentFolder),
      locations: paths.locations)
    guard catalog.templateCount > 0 else {
      Output.note(
        "dragoman init: all \(messages.count) messages are for Live Activities, which need a template by hand"
      )
      return .failure
    }
    guard write(catalog.yaml, options) else { return .failure }
    let leftOut = catalog.leftOutCount > 0 ? "; \(catalog.leftOutCount) for Live Activities left out" : ""
    Output.note(
      "\(catalog.templateCount) \(catalog.templateCount == 1 ? "template" : "templates") from \(messages.count) "
        + "messages\(leftOut)")
    return .success
  }

  private struct MessagesError: Error { let reason: String }

  private static func read(file: String) throws(MessagesError) -> [JSON] {
    do {
      let json = try JSON.parse(
        RegularFile.read(file, bytesMax: fileBytesMax), options: SendMessageRequest.parseOptions)
      guard let messages = messages(in: json) else {
        throw MessagesError(reason: "it is neither an inbox nor a list of messages")
      }
      return messages
    } catch let error as MessagesError {
      throw error
    } catch {
      throw MessagesError(reason: "\(error)")
    }
  }

  /// Asks for an inbox first: a gateway has none.
  private static func read(url: String, _ options: Options) async throws(MessagesError) -> [JSON] {
    do {
      let client = try GatewayClient(url: url, key: try options.apiKey(), caFile: nil, identity: nil)
      let inbox = try await client.get("/inbox?limit=\(messagesMax)")
      if inbox.status == 200, let messages = messages(in: inbox.json) {
        await client.close()
        return messages
      }
      let app = options["app"].map {
        "&app=\($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? $0)"
      }
      let answer = try await client.get("/v1/messages/findings?shapes=1\(app ?? "")")
      await client.close()
      guard answer.status == 200, let shapes = answer.json["shapes"]?.array else {
        throw MessagesError(reason: answer.refusal)
      }
      return shapes.compactMap { $0["shape"] }
    } catch let error as MessagesError {
      throw error
    } catch {
      throw MessagesError(reason: "\(error)")
    }
  }

  /// The messages of an inbox (`{"messages": [{"message": …}]}`), or of a list of messages or send requests.
  private static func messages(in json: JSON) -> [JSON]? {
    (json["messages"]?.array ?? json.array)?.map { $0["message"] ?? $0 }
  }
}
