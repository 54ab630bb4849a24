internal import Foundation
internal import GoogleAuth
internal import HTTPServer
internal import JSON
internal import YAML

/// The files that a configuration names.
package struct ConfiguredFiles {
  /// Relative paths start here: the folder of the file that names them.
  private let folder: String
  /// Whether they must be usable now. Otherwise, only their names are read.
  let areExamined: Bool

  /// Those that `file` names.
  package init(besides file: String, areExamined: Bool = false) {
    let folder = URL(filePath: file).deletingLastPathComponent().path
    self.folder = folder.isEmpty ? "." : folder
    self.areExamined = areExamined
  }

  /// A path as the process opens it.
  package func path(_ text: String) -> String { text.hasPrefix("/") ? text : "\(folder)/\(text)" }

  /// Why a file cannot be read; nil if it can.
  static func problem(ofFile path: String) -> String? {
    var status = stat()
    guard access(path, R_OK) == 0, stat(path, &status) == 0 else {
      return "\(path): \(String(cString: strerror(errno)))"
    }
    return status.st_mode & S_IFMT == S_IFDIR ? "\(path): it is a folder" : nil
  }

  /// Why a file cannot be used as the certificate authorities to trust; nil if it can, or if it is not there
  /// yet.
  static func problem(ofAuthorities path: String) -> String? {
    guard access(path, F_OK) == 0 else { return nil }
    return TrustedAuthorities.problem(of: path).map { "\(path): \($0)" }
  }

  /// Why a file cannot be used as credentials; nil if it can, or if it is not there yet.
  static func problem(ofCredentials path: String) -> String? {
    do {
      _ = try Credentials.load(file: path)
      return nil
    } catch {
      return error.mayPass ? nil : error.description
    }
  }
}

extension YAMLField {
  /// The path of the file that this field names; reports the problem that `examine` finds in the file.
  func filePath(in files: ConfiguredFiles, examine: (String) -> String?) -> String? {
    guard let text = nonEmptyString() else { return nil }
    // What a file holds may be secret, so it is not repeated.
    if RegularFile.isContent(text) {
      report("must be the name of a file, not what the file holds")
      return nil
    }
    let path = files.path(text)
    if files.areExamined, let problem = examine(path) { report(problem) }
    return path
  }
}
