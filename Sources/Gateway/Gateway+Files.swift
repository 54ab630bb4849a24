internal import Dispatch
internal import GoogleAuth
internal import Telemetry

/// Reads credentials and certificates again when their files change, without a signal.
extension Gateway {
  private static let filesInterval = DispatchTimeInterval.seconds(10)

  /// Looks at the files from now on, as long as the gateway exists.
  func watchFiles() {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.filesInterval) { [weak self] in
      guard let self else { return }
      if mayReadFiles() { afterReloads { [weak self] in await self?.readChangedFiles() } }
      watchFiles()
    }
  }

  /// Whether there is anything to read: looking is cheap, and a reload that is under way reads everything.
  private func mayReadFiles() -> Bool {
    let parts = parts
    return FileStamps(parts.configuration.watchedFiles) != parts.stamps || parts.awaitsMetadata
  }

  /// Reads the files again if one has changed, and looks for a metadata server that was not there.
  func readChangedFiles(because reason: String = "a file has changed") async {
    let parts = parts
    if FileStamps(parts.configuration.watchedFiles) == parts.stamps {
      guard parts.awaitsMetadata, await isMetadataThere() else { return }
    }
    switch await apply(.success(parts.configuration), keepsCatalogs: true) {
    case .applied: log.info("credentials and certificates were read again", ["reason": .string(reason)])
    case .refused(let error):
      log.warning(
        "a changed file cannot be used; what it held before stays in force", ["reason": .string("\(error)")])
    case .discarded: break
    }
  }

  private func isMetadataThere() async -> Bool {
    do {
      _ = try await Credentials.applicationDefault(over: transport)
      return true
    } catch {
      return false  // `/readyz` says why.
    }
  }
}
