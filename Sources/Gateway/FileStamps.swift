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
  /// The files that are read again when they change: credentials, certificates, keys and authorities.
  var watchedFiles: [String] {
    apps.flatMap { app -> [String] in
      let authorities = app.caFile.map { [$0] } ?? []
      switch app.credentials {
      case .file(let path): return authorities + [path]
      case .applicationDefault:
        return authorities + [Credentials.applicationDefaultFile()].compactMap(\.self)
      case .none: return authorities
      }
    } + (server.tls?.paths ?? [])
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
