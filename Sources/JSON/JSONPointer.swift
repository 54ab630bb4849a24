/// A JSON Pointer (RFC 6901): where in a document something stands. `""` is the whole document.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  package static let root = JSONPointer(description: "")

  private init(description: String) { self.description = description }

  package func appending(_ key: String) -> JSONPointer {
    var text = description + "/"
    for scalar in key.unicodeScalars {
      switch scalar {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return JSONPointer(description: text)
  }

  /// The place that `pointer` names below this one.
  package func appending(pointer: JSONPointer) -> JSONPointer {
    JSONPointer(description: description + pointer.description)
  }

  package func appending(_ index: Int) -> JSONPointer { JSONPointer(description: "\(description)/\(index)") }
}
