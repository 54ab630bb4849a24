internal import Glibc
internal import JSON

/// Why a file cannot be read. Never quotes the file.
struct SecretFileError: Error, CustomStringConvertible {
  enum Code: Sendable, Equatable {
    case missing, folder, notAFile, unreadable
    case tooLarge(bytesMax: Int)
  }

  let code: Code
  var underlying: (any Error)?

  /// The reason, as the end of a sentence that begins with the file's name.
  var description: String {
    switch code {
    case .missing: "does not exist"
    case .folder: "is a folder"
    case .notAFile: "is not a regular file"
    case .unreadable: "cannot be read by user id \(geteuid())"
    case .tooLarge(let bytesMax): "has more than \(bytesMax) bytes"
    }
  }
}

/// Reads small files that hold secrets.
enum SecretFile {
  static func contents(_ path: String, bytesMax: Int) throws(SecretFileError) -> [UInt8] {
    do throws(FileReadError) {
      return try RegularFile.read(path, bytesMax: bytesMax)
    } catch {
      throw SecretFileError(code: code(of: error), underlying: error)
    }
  }

  private static func code(of error: FileReadError) -> SecretFileError.Code {
    switch error.code {
    case .system(ENOENT), .system(ENOTDIR): .missing
    case .system: .unreadable
    case .folder: .folder
    case .notAFile: .notAFile
    case .tooLarge(let bytesMax): .tooLarge(bytesMax: bytesMax)
    }
  }
}
