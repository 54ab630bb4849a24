internal import Catalog
internal import FCMMessage
internal import JSON

/// The messages that one template is drafted from.
struct MessageKind {
  /// The messages, by their places in the given order.
  var members: [(index: Int, parts: MessageParts)] = []
  /// The messages whose number has texts of its own, by that number.
  private var special: [(number: Int64, parts: MessageParts)] = []
  /// Which arg of which text is the number.
  private var number: (slot: TextSlot.Name, arg: Int)?

  private var first: MessageParts? { members.first?.parts }

  /// Equal for messages of one kind.
  static func identity(of parts: MessageParts) -> [UInt8] { identity(of: parts) { $0 } }

  private static func identity(of parts: MessageParts, _ key: (String) -> String) -> [UInt8] {
    let texts = TextSlot.Name.allCases.map { slot in
      JSON.array(
        AppPlatform.allCases.map { platform in
          guard let text = parts.texts[slot]?[platform] else { return .null }
          return [.string(key(text.key)), JSON(text.args.count)]
        })
    }
    let fields = DraftFields.skeleton(.object(parts.fields), .object(.message))
    return (["texts": .array(texts), "fields": fields] as JSON).serialized
  }

  /// The template's name: the words of its first key.
  var name: String {
    let texts = [TextSlot.Name.title, .body, .subtitle].compactMap { first?.texts[$0] }
    guard let key = texts.first.flatMap({ $0[.android] ?? $0[.ios] })?.key else { return "message" }
    let name = KeyWords(number == nil ? key : Self.stem(of: key)?.stem ?? key).guess(among: []).template
    return name.isEmpty ? "message" : name
  }

  // MARK: Numbers

  /// The key without the word for a number at its end, and that number; nil is any other number.
  private static func stem(of key: String) -> (stem: String, number: Int64?)? {
    for (word, number) in [("one", Int64(1)), ("zero", 0), ("other", nil)] {
      for ending in ["_\(word)", ".\(word)", "-\(word)"] where key.lowercased().hasSuffix(ending) {
        return (String(key.dropLast(ending.count)), number)
      }
    }
    return nil
  }

  /// Joins the kinds that differ only in `_one` and `_other` at the end of their keys, where an arg is that
  /// number.
  static func joiningNumbers(_ kinds: [MessageKind]) -> [MessageKind] {
    var joined: [MessageKind] = []
    var places: [[UInt8]: [Int]] = [:]
    for kind in kinds {
      guard let first = kind.first, first.hasNumberedKey else {
        joined.append(kind)
        continue
      }
      let stem = identity(of: first) { Self.stem(of: $0)?.stem ?? $0 }
      places[stem, default: []].append(joined.count)
      joined.append(kind)
    }
    var gone: Set<Int> = []
    for group in places.values where group.count > 1 {
      guard let base = group.first(where: { joined[$0].first?.number == nil }) else { continue }
      for place in group where place != base {
        guard let number = joined[place].first?.number,
          let arg = joined[base].arg(thatIs: number, in: joined[place])
        else { continue }
        joined[base].take(joined[place], number: number, arg)
        gone.insert(place)
      }
    }
    return joined.indices.filter { !gone.contains($0) }.map { joined[$0] }
  }

  /// The arg that has the number in all messages of the other kind, and in none of these.
  private func arg(thatIs number: Int64, in other: MessageKind) -> (slot: TextSlot.Name, arg: Int)? {
    let text = String(number)
    func args(_ kind: MessageKind, _ slot: TextSlot.Name, _ index: Int) -> [String] {
      kind.members.flatMap { member in
        AppPlatform.allCases.compactMap { platform in
          member.parts.texts[slot]?[platform].flatMap {
            $0.args.indices.contains(index) ? $0.args[index] : nil
          }
        }
      }
    }
    for slot in TextSlot.Name.allCases {
      let count = first?.texts[slot]?.values.map(\.args.count).min() ?? 0
      for index in 0..<count {
        let (own, others) = (args(self, slot, index), args(other, slot, index))
        let isNumber = own.allSatisfy { Int64($0).map { String($0) } == $0 }
        if isNumber, !own.contains(text), others.allSatisfy({ $0 == text }),
          self.number.map({ $0 == (slot, index) }) ?? true
        {
          return (slot, index)
        }
      }
    }
    return nil
  }

  private mutating func take(_ other: MessageKind, number: Int64, _ arg: (slot: TextSlot.Name, arg: Int)) {
    self.number = arg
    if let parts = other.first { special.append((number, parts)) }
    members += other.members
  }

  // MARK: The draft

  struct Draft {
    let name: String
    let lines: [String]
    /// The args of each message, by its place in the given order.
    let args: [(index: Int, args: JSON.Object)]
  }

  func draft(named name: String, _ sources: TextSources) -> Draft {
    var params = MessageParams()
    let slots = TextSlot.Name.allCases.compactMap { slot in slotLine(slot, &params, sources) }
    let all = DraftFields(members.map { .object($0.parts.fields) })
    var fields: [String] = []
    for (key, value) in all.members {
      fields.append("    \(key): \(value.yaml(at: key) { params.param($0, field: $1, type: $2) })")
    }
    var lines = [
      "  \(FirstCatalog.scalar(name)):",
      "    # From \(members.count) \(members.count == 1 ? "message" : "messages").",
    ]
    let hidden = Set(members.flatMap(\.parts.hidingLiterals))
    for slot in TextSlot.Name.allCases where hidden.contains(slot) {
      lines.append("    # Without the literal \(slot.rawValue), which hid the key on Android.")
    }
    if !params.lines.isEmpty { lines += ["    params:"] + params.lines.map { "      \($0)" } }
    lines += slots + fields
    return Draft(
      name: name, lines: lines,
      args: members.enumerated().map { (index: $1.index, args: params.args($0)) })
  }

  private func slotLine(
    _ slot: TextSlot.Name, _ params: inout MessageParams, _ sources: TextSources
  ) -> String? {
    var names: [AppPlatform: [String]] = [:]
    var keys: [AppPlatform: String] = [:]
    for platform in AppPlatform.allCases {
      guard let text = first?.texts[slot]?[platform] else { continue }
      keys[platform] = text.key
      names[platform] = text.args.indices.map { index in
        params.param(
          arg: index, of: slot, members.map { $0.parts.texts[slot]?[platform]?.args[index] ?? "" },
          source: sources[text.key, platform], isNumber: number.map { $0 == (slot, index) } ?? false)
      }
    }
    guard !keys.isEmpty else { return nil }
    var parts = [Self.texts(keys, names)]
    if let number,
      let param = names.values.first.flatMap({ $0.indices.contains(number.arg) ? $0[number.arg] : nil }),
      special.contains(where: { $0.parts.texts[slot]?.mapValues(\.key) != keys })
    {
      let variants = special.map { value, parts in
        "{when: {\(param): \(value)}, \(Self.texts((parts.texts[slot] ?? [:]).mapValues(\.key), names))}"
      }
      parts.append("variants: [\(variants.joined(separator: ", "))]")
    }
    return "    \(slot.rawValue): {\(parts.joined(separator: ", "))}"
  }

  /// The keys of a slot, with their args if they are the same on both platforms.
  private static func texts(_ keys: [AppPlatform: String], _ names: [AppPlatform: [String]]) -> String {
    let isShared = Set(keys.keys.map { names[$0] ?? [] }).count == 1
    var parts = AppPlatform.allCases.compactMap { platform in
      keys[platform].map { key -> String in
        let args = names[platform] ?? []
        let value =
          isShared || args.isEmpty
          ? FirstCatalog.scalar(key)
          : "{key: \(FirstCatalog.scalar(key)), args: [\(args.joined(separator: ", "))]}"
        return "\(platform.rawValue): \(value)"
      }
    }
    if isShared, let shared = names.values.first, !shared.isEmpty {
      parts.append("args: [\(shared.joined(separator: ", "))]")
    }
    return parts.joined(separator: ", ")
  }
}

extension MessageParts {
  private var keys: [String] { TextSlot.Name.allCases.flatMap { texts[$0]?.values.map(\.key) ?? [] } }

  /// Whether a key ends with a word for a number.
  fileprivate var hasNumberedKey: Bool { keys.contains { MessageKind.endsWithNumber($0) } }

  /// The number in whose texts its keys end; nil for any other.
  fileprivate var number: Int64? { keys.lazy.compactMap { MessageKind.number(of: $0) }.first }
}

extension MessageKind {
  fileprivate static func endsWithNumber(_ key: String) -> Bool { stem(of: key) != nil }
  fileprivate static func number(of key: String) -> Int64? { stem(of: key)?.number }
}

extension DraftFields {
  /// The fields of a whole message.
  fileprivate var members: [(key: String, value: DraftFields)] {
    switch self {
    case .object(let members): members
    case .same(.object(let object)): object.members.map { ($0.key, .same($0.value)) }
    default: []
    }
  }
}
