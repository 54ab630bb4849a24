import CLinux

/// Whether what this process has in memory may be written down by somebody else.
package enum MemoryDumps {
  /// Lets the kernel write no core of this process, to a file or a handler, and lets no other process of the same
  /// user attach to it or read its memory and environment (prctl(2), PR_SET_DUMPABLE). False where the kernel refuses.
  package static func forbid() -> Bool { dragoman_forbid_dumps() == 0 }

  static var areForbidden: Bool { dragoman_may_be_dumped() == 0 }
}

extension GatewayConfiguration {
  /// Whether serving it puts API keys, credentials, webhook secrets or a TLS key into memory.
  package var holdsSecrets: Bool {
    !auth.clients.isEmpty || webhook != nil || server.tls != nil || apps.contains { $0.credentials != .none }
  }
}
