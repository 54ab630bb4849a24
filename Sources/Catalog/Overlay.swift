internal import FCMMessage
package import JSON
package import YAML

/// FCM fields of a template or of `defaults` that are merged into the message, as a tree with source
/// locations.
struct Overlay {
  /// A mapping of those members, with proto field names throughout.
  private(set) var root: YAMLNode

  init(at node: YAMLNode) { root = YAMLNode(.mapping([]), line: node.line, column: node.column) }

  /// Adds one member with its keys converted to proto names, so that `channelId` and `channel_id` are the
  /// same field.
  mutating func add(_ name: String, _ field: YAMLField) {
    root.set(Self.canonical(field, .message, name), at: [name])
  }

  /// The value at a path of keys.
  subscript(path: String...) -> YAMLNode? { self[path] }

  /// The value at a path of keys.
  subscript(path: [String]) -> YAMLNode? {
    path.reduce(root as YAMLNode?) { node, key in node?[key] }
  }

  /// Whether there is a value at a path of keys, other than null.
  func has(_ path: String...) -> Bool { self[path].map { !$0.isNull } ?? false }

  /// Removes the value at `path`.
  mutating func remove(_ path: String...) { remove(path) }

  /// Removes the value at `path`.
  mutating func remove(_ path: [String]) { root.remove(path[...]) }

  /// The overlay without references to params that are not among `params`, and without the objects that this
  /// empties.
  func withoutReferences(toOthersThan params: [Param]) -> Overlay {
    var result = self
    result.root = root.withoutReferences(toOthersThan: params) ?? Overlay(at: root).root
    return result
  }

  /// The form of Android's options that the overlay has.
  var androidForm: AndroidForm { has(AndroidForm.v2.name) ? .v2 : .v1 }

  /// This overlay merged over `base`, object by object; null removes the value of `base`.
  func merged(over base: Overlay) -> Overlay {
    var result = self
    result.root = root.merged(over: base.root)
    return result
  }

  private static func canonical(
    _ field: YAMLField, _ type: MessageSchema.ObjectType, _ name: String
  ) -> YAMLNode {
    guard let type = MessageSchema.field(name, of: type)?.type else { return field.node }
    switch type {
    case .object(let objectType): return canonical(field, objectType)
    case .stringMap where name == "headers" && field.path.description.hasSuffix("apns.headers"):
      return lowercased(field)
    default: return field.node
    }
  }

  private static func canonical(_ field: YAMLField, _ type: MessageSchema.ObjectType) -> YAMLNode {
    guard let entries = field.node.mapping, !field.node.isParamReference else { return field.node }
    return renamed(field, entries) { key, value in
      let name = MessageSchema.field(key, of: type)?.name ?? key
      return (name, canonical(value, type, name))
    }
  }

  /// Converts header names to lower case, as HTTP/2 and so APNs require.
  private static func lowercased(_ field: YAMLField) -> YAMLNode {
    guard let entries = field.node.mapping else { return field.node }
    return renamed(field, entries) { key, value in (key.lowercased(), value.node) }
  }

  private static func renamed(
    _ field: YAMLField, _ entries: [YAMLNode.Entry],
    _ rename: (String, YAMLField) -> (name: String, value: YAMLNode)
  ) -> YAMLNode {
    var node = field.node
    var seen: [ExactText: String] = [:]
    node.kind = .mapping(
      entries.compactMap { entry in
        guard let key = entry.key.scalar?.text else { return nil }
        let path = field.path.appending(key)
        let value = YAMLField(node: entry.value, path: path, problems: field.problems)
        let (name, renamed) = rename(key, value)
        if let other = seen.updateValue(key, forKey: ExactText(name)) {
          field.problems.report("duplicate of the field \(other)", at: entry.key, path: path)
          return nil
        }
        var keyNode = entry.key
        keyNode.kind = .scalar(.init(text: name, style: .quoted))
        return (keyNode, renamed)
      })
    return node
  }
}

/// The two forms of FCM's options for Android, of which a message has only one.
enum AndroidForm: Sendable, CaseIterable {
  /// `AndroidConfig`.
  case v1
  /// `AndroidConfigV2`.
  case v2

  /// The name of the member of FCM's `Message`.
  var name: String { self == .v1 ? "android" : "android_v2" }

  /// The keys that lead to the notification.
  var notificationPath: [String] {
    self == .v1 ? [name, "notification"] : [name, "remote_notification", "notification"]
  }
}

extension YAMLNode {
  fileprivate mutating func remove(_ path: ArraySlice<String>) {
    guard let key = path.first, var entries = mapping,
      let index = entries.firstIndex(where: { $0.key.scalar?.text.hasSameBytes(as: key) ?? false })
    else { return }
    if path.count == 1 {
      entries.remove(at: index)
    } else {
      entries[index].value.remove(path.dropFirst())
    }
    kind = .mapping(entries)
  }

  fileprivate func merged(over base: YAMLNode) -> YAMLNode {
    guard let upper = mapping, let lower = base.mapping, !isParamReference, !base.isParamReference else {
      return self
    }
    var entries = lower
    for entry in upper {
      let key = entry.key.scalar?.text ?? ""
      let index = entries.firstIndex { $0.key.scalar?.text.hasSameBytes(as: key) ?? false }
      if let index {
        entries[index] = (entry.key, entry.value.merged(over: entries[index].value))
      } else {
        entries.append(entry)
      }
    }
    var node = self
    node.kind = .mapping(entries)
    return node
  }
}

extension JSON {
  /// Converts a YAML value by the core schema; members that are null are omitted.
  package init(_ node: YAMLNode) {
    switch node.kind {
    case .sequence(let nodes): self = .array(nodes.map { JSON($0) })
    case .mapping(let entries):
      self = .object(
        .init(
          entries.compactMap { entry in
            guard let key = entry.key.scalar?.text, !entry.value.isNull else { return nil }
            return (key, JSON(entry.value))
          }))
    case .scalar(let scalar):
      switch scalar.value {
      case .null: self = .null
      case .bool(let value): self = .bool(value)
      case .integer(let digits), .number(let digits): self = (try? JSON.parse(digits)) ?? .string(digits)
      case .notFinite, .string: self = .string(scalar.text)
      }
    }
  }
}
