internal import Foundation

/// Why a file cannot be read, as the end of a sentence that begins with its name. Never quotes the file.
struct BoundedFileError: Error, CustomStringConvertible {
  let description: String
}

/// Reads small files that hold secrets.
enum BoundedFile {
  static func contents(_ path: String, bytesMax: Int) throws(BoundedFileError) -> [UInt8] {
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { handle.closeFile() }
      data = try handle.read(upToCount: bytesMax + 1) ?? Data()
    } catch {
      throw BoundedFileError(description: reason(path))
    }
    guard data.count <= bytesMax else {
      throw BoundedFileError(description: "has more than \(bytesMax) bytes")
    }
    return Array(data)
  }

  private static func reason(_ path: String) -> String {
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      return "does not exist"
    }
    return isFolder.boolValue ? "is a folder" : "cannot be read by user id \(geteuid())"
  }
}
