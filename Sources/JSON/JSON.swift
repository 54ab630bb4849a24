internal import Glibc

/// A JSON value (RFC 8259) that preserves the order of members and the digits of numbers.
///
/// Text is compared byte by byte. Swift's `==` treats canonically equivalent strings as equal, so it would
/// confuse U+212A (Kelvin sign) with `K` and drop one of two keys that are different in JSON.
package enum JSON: Sendable {
  case null
  case bool(Bool)
  case number(Number)
  case string(String)
  case array([JSON])
  case object(Object)

  /// A number, stored as its digits.
  package struct Number: Sendable {
    /// The number as written in the document; always valid JSON.
    package let lexeme: String

    init(uncheckedLexeme lexeme: String) { self.lexeme = lexeme }

    package init(_ value: some FixedWidthInteger) { lexeme = String(value) }

    /// The shortest digits that read back as `value`; nil for NaN and infinities, which JSON does not have.
    package init?(_ value: Double) {
      guard value.isFinite else { return nil }
      let text = String(describing: value)
      lexeme = text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// The value, if it is written without a fraction or exponent and fits.
    package var int64: Int64? { Int64(lexeme) }

    /// The nearest double; nil if the number exceeds the range of finite doubles.
    package var double: Double? {
      guard let value = Double(lexeme), value.isFinite else { return nil }
      return value
    }
  }

  /// An object's members, in the order of the document.
  package struct Object: Sendable, Sequence {
    package typealias Member = (key: String, value: JSON)
    package var members: [Member]

    package init(_ members: [Member] = []) { self.members = members }

    package var count: Int { members.count }
    package var isEmpty: Bool { members.isEmpty }
    package func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }

    /// The value of `key`. Setting a value replaces it in place or appends it; setting nil removes it.
    /// O(members).
    package subscript(key: String) -> JSON? {
      get { index(of: key).map { members[$0].value } }
      set {
        switch (index(of: key), newValue) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append((key, value))
        case (nil, nil): break
        }
      }
    }

    /// Whether there is a member `key`. O(members).
    package func has(_ key: String) -> Bool { index(of: key) != nil }

    /// The index of the member `key`. O(members).
    package func index(of key: String) -> Int? {
      // Copies no member: that would count the references of all values before the one sought.
      members.withUnsafeBufferPointer { members -> Int? in
        let count = key.utf8.count
        for index in members.indices
        where members[index].key.utf8.count == count && members[index].key.hasSameBytes(as: key) {
          return index
        }
        return nil
      }
    }
  }
}

extension JSON {
  package var string: String? { if case .string(let value) = self { value } else { nil } }
  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  package var number: Number? { if case .number(let value) = self { value } else { nil } }
  package var int64: Int64? { number?.int64 }
  package var double: Double? { number?.double }
  package var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
  package var object: Object? { if case .object(let value) = self { value } else { nil } }
  package var isNull: Bool { if case .null = self { true } else { false } }

  /// The member `key` of an object; nil for any other kind of value.
  package subscript(key: String) -> JSON? { object?[key] }

  /// The element at `index` of an array; nil if the index is out of range or the value is not an array.
  package subscript(index: Int) -> JSON? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }

  /// The kind of value, for messages: `"a string"`, `"null"`.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSON: Equatable {
  /// Compares text and digits exactly, and objects regardless of the order of their members.
  package static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left.lexeme == right.lexeme
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)):
      left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    default: false
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int64) { self = .number(Number(value)) }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Object(elements.map { (key: $0.0, value: $0.1) }))
  }
  package init(nilLiteral: ()) { self = .null }

  package init(_ value: some FixedWidthInteger) { self = .number(Number(value)) }
}

extension String {
  /// Whether both have the same UTF-8 bytes. Unlike with `==`, canonically equivalent strings differ.
  @inline(__always)
  package func hasSameBytes(as other: String) -> Bool {
    let count = utf8.count
    guard count == other.utf8.count else { return false }
    // So short a text is inside its string, and `==` compares two words. It holds for equal bytes, and for
    // others that are canonically equivalent.
    if count <= 15, self != other { return false }
    let isSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right -> Bool in
        // Guard: both buffers have the same length, checked above.
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        return memcmp(left, right, count) == 0
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}

/// A string as a dictionary key that is compared and hashed by its bytes.
package struct ExactText: Hashable, Sendable {
  package let text: String
  package init(_ text: String) { self.text = text }
  package static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }
  package func hash(into hasher: inout Hasher) {
    let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    guard isDone == nil else { return }
    var copy = text
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
