internal import Foundation

/// Why a file cannot be read. Never quotes the file.
struct SecretFileError: Error, CustomStringConvertible {
  enum Code: Sendable, Equatable {
    case missing, folder, unreadable
    case tooLarge(bytesMax: Int)
  }

  let code: Code
  /// The system's error; nil for a file that is too large.
  var underlying: (any Error)?

  /// The reason, as the end of a sentence that begins with the file's name.
  var description: String {
    switch code {
    case .missing: "does not exist"
    case .folder: "is a folder"
    case .unreadable: "cannot be read by user id \(geteuid())"
    case .tooLarge(let bytesMax): "has more than \(bytesMax) bytes"
    }
  }
}

/// Reads small files that hold secrets.
enum SecretFile {
  static func contents(_ path: String, bytesMax: Int) throws(SecretFileError) -> [UInt8] {
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { handle.closeFile() }
      data = try handle.read(upToCount: bytesMax + 1) ?? Data()
    } catch {
      throw SecretFileError(code: code(of: path), underlying: error)
    }
    guard data.count <= bytesMax else {
      throw SecretFileError(code: .tooLarge(bytesMax: bytesMax))
    }
    return Array(data)
  }

  private static func code(of path: String) -> SecretFileError.Code {
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      return .missing
    }
    return isFolder.boolValue ? .folder : .unreadable
  }
}
