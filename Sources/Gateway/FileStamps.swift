internal import GoogleAuth
internal import HTTPServer
internal import JSON

/// What tells that some files have changed, have come or are gone.
struct FileStamps: Equatable {
  /// Without those that are not there.
  private let stamps: [String: FileStamp]

  init(_ paths: [String]) {
    var stamps: [String: FileStamp] = [:]
    for path in paths { stamps[path] = FileStamp(path: path) }
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
