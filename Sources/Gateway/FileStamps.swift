internal import Glibc
internal import GoogleAuth
internal import HTTPServer

/// What tells that files have changed: which ones they are and when they were written. Symbolic links are
/// followed, so that it does not matter whether a file, its folder or a link to that is replaced, as
/// Kubernetes does.
struct FileStamps: Equatable {
  private struct Stamp: Equatable {
    let device: UInt
    let inode: UInt
    let bytes: Int
    let seconds: Int
    let nanoseconds: Int
  }

  /// Without those that are not there.
  private let stamps: [String: Stamp]

  init(_ paths: [String]) {
    var stamps: [String: Stamp] = [:]
    for path in paths {
      var status = stat()
      guard stat(path, &status) == 0 else { continue }
      stamps[path] = Stamp(
        device: UInt(status.st_dev), inode: UInt(status.st_ino), bytes: Int(status.st_size),
        seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }
    self.stamps = stamps
  }
}

extension GatewayConfiguration {
  /// The files that it names and that are read again when they change: credentials, certificates, keys and
  /// authorities.
  var namedFiles: [String] {
    apps.flatMap { app -> [String] in
      let authorities = app.caFile.map { [$0] } ?? []
      if case .file(let path) = app.credentials { return authorities + [path] }
      return authorities
    } + (server.tls?.paths ?? [])
  }

  /// The same with the file of Application Default Credentials.
  var watchedFiles: [String] {
    let isDefault = apps.contains { $0.credentials == .applicationDefault }
    return namedFiles + (isDefault ? [Credentials.applicationDefaultFile()].compactMap(\.self) : [])
  }

  /// By file.
  var certificateExpiries: [String: Int] {
    var expiries: [String: Int] = [:]
    if let tls = server.tls { expiries[tls.certificate] = CertificateExpiry.ofOwn(in: tls.certificate) }
    for path in apps.compactMap(\.caFile) + [server.tls?.clientCA].compactMap(\.self) {
      expiries[path] = CertificateExpiry.ofAuthorities(in: path)
    }
    return expiries
  }
}
