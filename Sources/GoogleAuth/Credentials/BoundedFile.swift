internal import Foundation

/// Reads small files whose content is nobody's business.
enum BoundedFile {
  /// Why a file cannot be read, as the end of a sentence that begins with its name.
  struct Problem: Error { let reason: String }

  static func contents(_ path: String, bytesMax: Int) throws(Problem) -> [UInt8] {
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { handle.closeFile() }
      data = try handle.read(upToCount: bytesMax + 1) ?? Data()
    } catch {
      throw Problem(reason: reason(path))
    }
    guard data.count <= bytesMax else { throw Problem(reason: "has more than \(bytesMax) bytes") }
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
