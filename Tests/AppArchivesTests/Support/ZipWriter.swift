import CZlib

/// Writes ZIP files for tests, correct ones and broken ones.
struct ZipWriter {
  struct File {
    var name: String
    var content: [UInt8]
    var isDeflated = false
    /// What the directory says in place of the truth.
    var declaredCount: Int?
    var localName: String?
    var method: Int?
    var flags = 0
    var offset: Int?
  }

  var files: [File] = []
  var comment: [UInt8] = []
  var before: [UInt8] = []
  var after: [UInt8] = []

  init(_ files: [File] = []) { self.files = files }

  init(_ files: [String: [UInt8]]) {
    self.files = files.sorted { $0.key < $1.key }.map { File(name: $0.key, content: $0.value) }
  }

  var bytes: [UInt8] {
    var output = before
    var directory: [UInt8] = []
    for file in files {
      let data = file.isDeflated ? deflated(file.content) : file.content
      let count = file.declaredCount ?? file.content.count
      let compressed = file.isDeflated ? data.count : count
      let method = file.method ?? (file.isDeflated ? 8 : 0)
      let sizes = littleEndian(0, 4) + littleEndian(compressed, 4) + littleEndian(count, 4)
      let head =
        littleEndian(20, 2) + littleEndian(file.flags, 2) + littleEndian(method, 2) + littleEndian(0, 4)
      let offset = file.offset ?? output.count - before.count
      let local = Array((file.localName ?? file.name).utf8)
      output +=
        littleEndian(0x0403_4B50, 4) + head + sizes + littleEndian(local.count, 2) + [0, 0] + local + data
      let name = Array(file.name.utf8)
      directory += littleEndian(0x0201_4B50, 4) + [20, 0] + head + sizes + littleEndian(name.count, 2)
      directory += [UInt8](repeating: 0, count: 12) + littleEndian(offset, 4) + name
    }
    let place = littleEndian(directory.count, 4) + littleEndian(output.count - before.count, 4)
    let counts = littleEndian(files.count, 2) + littleEndian(files.count, 2)
    output += directory + littleEndian(0x0605_4B50, 4) + [0, 0, 0, 0] + counts + place
    return output + littleEndian(comment.count, 2) + comment + after
  }

  private func deflated(_ content: [UInt8]) -> [UInt8] {
    var count = compressBound(UInt(content.count))
    var output = [UInt8](repeating: 0, count: Int(count))
    compress2(&output, &count, content, UInt(content.count), 9)
    // Without zlib's own header and checksum.
    return Array(output[2..<Int(count) - 4])
  }
}

func littleEndian(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}
