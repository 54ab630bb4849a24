internal import Clock
internal import JSON
internal import Outbox

/// The OpenAPI 3.1 description of the API. The plugin EmbedFiles puts openapi.json into the binary as `text`.
enum OpenAPIDocument {
  /// The general description, which `GET /openapi.json` returns to callers that may not see templates.
  static func bytes(asksForKeys: Bool) -> [UInt8] { asksForKeys ? withKeys : withoutKeys }

  /// The same with the apps and templates of `catalog`; nil if there are none.
  static func bytes(asksForKeys: Bool, catalog: VisibleCatalog, now: Timestamp) -> [UInt8]? {
    guard !catalog.templates.isEmpty else { return nil }
    return (try? JSON.parse(bytes(asksForKeys: asksForKeys)))?.describing(catalog, now: now).serialized
  }

  /// A description whose server is at `path`; "" for the root, as in `openapi.json`.
  static func serving(_ bytes: [UInt8], below path: String) -> [UInt8] {
    // As in the file, and as it is written again.
    let roots = [#""url": "/""#, #""url":"/""#].lazy.map { Array($0.utf8) }
    guard !path.isEmpty, let place = roots.compactMap({ bytes.firstRange(of: $0) }).first else {
      return bytes
    }
    return bytes[..<place.lowerBound] + Array("\"url\":\"\(path)\"".utf8) + bytes[place.upperBound...]
  }

  private static let withKeys = Array(text.utf8)

  /// If callers are anonymous, a key is optional, which OpenAPI expresses by an empty security
  /// requirement.
  private static let withoutKeys: [UInt8] = {
    guard var document = (try? JSON.parse(withKeys))?.object, var paths = document["paths"]?.object else {
      return withKeys
    }
    paths.members = paths.members.map { path in
      guard var item = path.value.object else { return path }
      item.members = item.members.map { ($0.key, optionalKey($0.value)) }
      return (path.key, .object(item))
    }
    document["paths"] = .object(paths)
    return JSON.object(document).serialized
  }()

  private static func optionalKey(_ operation: JSON) -> JSON {
    guard var object = operation.object, let requirements = object["security"]?.array, !requirements.isEmpty
    else { return operation }
    object["security"] = .array(requirements + [.object(.init())])
    return .object(object)
  }
}
