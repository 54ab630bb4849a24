internal import CCurl
internal import Clock
internal import Foundation
internal import Glibc

/// Looks up the addresses of hosts for all transports. A lookup goes on when the request that began it has
/// ended: of the next one, it has then the result.
///
/// Both families are looked up on their own, so that a lost answer about one of them does not delay the other
/// (RFC 8305 §3).
///
/// Guard: `condition` is locked wherever `entries` is used.
final class HostLookup: @unchecked Sendable {
  static let shared = HostLookup { host, family in
    systemAddresses(of: host, family: family)
  }

  /// Blocks; the addresses, or why there are none.
  typealias Resolve = @Sendable (_ host: String, _ family: Int32) -> Result<[String], LookupError>

  /// Why a host has no address.
  struct LookupError: Error, Equatable {
    let reason: String
    static let late = LookupError(reason: "the name servers do not answer")
  }

  private struct Family {
    var isRunning = false
    /// The last result, and when it came.
    var result: Result<[String], LookupError>?
    var at = ContinuousClock.now

    var addresses: [String] { if case .success(let addresses) = result { addresses } else { [] } }
  }

  private struct Entry {
    var families = [AF_INET6: Family(), AF_INET: Family()]

    /// Those of IPv6 come first (RFC 6724 §2.1); libcurl tries both families.
    var addresses: [String] { [AF_INET6, AF_INET].flatMap { families[$0]?.addresses ?? [] } }
    var isRunning: Bool { families.values.contains(where: \.isRunning) }
    /// When the first address came of those that are known.
    var foundAt: ContinuousClock.Instant? {
      families.values.filter { !$0.addresses.isEmpty }.map(\.at).min()
    }
    var failure: LookupError? {
      for family in families.values { if case .failure(let error) = family.result { return error } }
      return nil
    }
  }

  /// How long addresses are used: as long as libcurl keeps its own.
  static let lifetime = Duration.seconds(60)
  /// How long the second family may take after the first (RFC 8305 §3, Resolution Delay).
  private static let secondFamilyMax = Duration.milliseconds(50)
  private static let entriesMax = 256

  private let condition = NSCondition()
  private var entries: [String: Entry] = [:]
  private let resolve: Resolve

  init(resolve: @escaping Resolve) { self.resolve = resolve }

  /// The host's addresses. Blocks until they are known, `timeout` at most.
  func addresses(of host: String, within timeout: Duration) -> Result<[String], LookupError> {
    if Self.isAddress(host) { return .success([host]) }
    let deadline = ContinuousClock.now + timeout
    condition.lock()
    defer { condition.unlock() }
    begin(host)
    while true {
      // A lookup of too many other hosts may have removed it.
      guard let entry = entries[host] else {
        begin(host)
        continue
      }
      let now = ContinuousClock.now
      let found = entry.foundAt.map { $0 + Self.secondFamilyMax }
      if let found, !entry.isRunning || found <= now { return .success(entry.addresses) }
      if !entry.isRunning { return .failure(entry.failure ?? .late) }
      if now >= deadline { return .failure(.late) }
      let wait = min(deadline, found ?? deadline) - now
      _ = condition.wait(until: Date(timeIntervalSinceNow: wait / .seconds(1)))
    }
  }

  /// The addresses that are known, without waiting; looks them up again if they are old.
  func known(_ host: String) -> [String] {
    condition.lock()
    defer { condition.unlock() }
    guard entries[host] != nil else { return [] }
    begin(host)
    return entries[host]?.addresses ?? []
  }

  /// Looks up what is not known or old. Old addresses are kept until others come.
  private func begin(_ host: String) {
    if entries.count >= Self.entriesMax, entries[host] == nil {
      entries = entries.filter { $0.value.isRunning }
    }
    var entry = entries[host] ?? Entry()
    let isFresh = entry.foundAt.map { ContinuousClock.now < $0 + Self.lifetime } ?? false
    for family in [AF_INET6, AF_INET] where !isFresh && entry.families[family]?.isRunning == false {
      entry.families[family]?.isRunning = DetachedThread.start(named: "dragoman.dns") { [self] in
        let result = resolve(host, family)
        ended(host, family, result)
      }
    }
    entries[host] = entry
  }

  private func ended(_ host: String, _ family: Int32, _ result: Result<[String], LookupError>) {
    condition.lock()
    defer { condition.unlock() }
    // What cannot be looked up again is better used as it was than not at all.
    if case .failure = result, entries[host]?.families[family]?.addresses.isEmpty == false {
      entries[host]?.families[family]?.isRunning = false
    } else {
      entries[host]?.families[family] = Family(result: result)
    }
    condition.broadcast()
  }

  private static func isAddress(_ host: String) -> Bool {
    // Guard: the struct has room for an address of either family, and the pointer does not leave the call.
    var address = in6_addr()
    return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
  }

  private static func systemAddresses(of host: String, family: Int32) -> Result<[String], LookupError> {
    var hints = addrinfo()
    (hints.ai_family, hints.ai_socktype) = (family, Int32(SOCK_STREAM.rawValue))
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &found)
    // Guard: the list is read before it is freed, and no pointer into it is kept.
    defer { if let found { freeaddrinfo(found) } }
    guard code == 0 else { return .failure(LookupError(reason: String(cString: gai_strerror(code)))) }
    var addresses: [String] = []
    var next = found
    while let entry = next?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      if getnameinfo(
        entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
      {
        addresses.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
      }
      next = entry.ai_next
    }
    return .success(addresses)
  }
}

extension HostLookup {
  /// An entry for libcurl's own cache; nil for a host that is an address itself.
  static func curlEntry(host: String, port: Int, _ addresses: [String]) -> String? {
    guard !isAddress(host), !addresses.isEmpty else { return nil }
    let list = addresses.map { $0.utf8.contains(UInt8(ascii: ":")) ? "[\($0)]" : $0 }
    // The plus sign lets it expire like an entry of libcurl's own.
    return "+\(host):\(port):\(list.joined(separator: ","))"
  }
}
