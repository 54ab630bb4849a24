/// A JSON Pointer (RFC 6901): the location of a value in a document. `""` is the whole document.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  package static let root = JSONPointer(description: "")

  private init(description: String) { self.description = description }

  /// The location of the member `key` of this value.
  package func appending(_ key: String) -> JSONPointer {
    var text = description + "/"
    guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
      return JSONPointer(description: text + key)
    }
    for scalar in key.unicodeScalars {
      switch scalar {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return JSONPointer(description: text)
  }

  /// The location that `pointer` names relative to this one.
  package func appending(pointer: JSONPointer) -> JSONPointer {
    JSONPointer(description: description + pointer.description)
  }

  /// The location of the element at `index` of this value.
  package func appending(_ index: Int) -> JSONPointer { JSONPointer(description: "\(description)/\(index)") }
}
