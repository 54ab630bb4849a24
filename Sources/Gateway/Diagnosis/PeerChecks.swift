internal import Clock
internal import Foundation
internal import GoogleAuth
internal import HTTPClient
internal import JSON
internal import Synchronization

/// Checks the names of the hosts that the gateway calls, and this machine's clock against theirs.
struct PeerChecks {
  let environment: [String: String]
  let transport: HTTPTransport

  /// Google rejects assertions whose time is some minutes off.
  private static let skewSecondsMax: Int64 = 60
  private static let timeout = Duration.seconds(10)

  func checks(_ configuration: GatewayConfiguration) async -> [Diagnosis.Check] {
    var urls: [(url: String, caFile: String?)] = []
    for app in configuration.apps {
      var tokenURLs: [String] = []
      if case .file(let path) = app.credentials, let credentials = try? Credentials.load(file: path) {
        tokenURLs = credentials.tokenURLs
      }
      for url in [app.endpoint] + tokenURLs where !urls.contains(where: { $0.url == url }) {
        urls.append((url, app.caFile))
      }
    }
    return await [nameCheck(urls.map(\.url)), clockCheck(urls)]
  }

  private func nameCheck(_ urls: [String]) async -> Diagnosis.Check {
    var hosts: [String] = []
    for host in urls.compactMap(EndpointURL.hostName) where !hosts.contains(host) { hosts.append(host) }
    let proxies = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
    if proxies.contains(where: { environment[$0]?.isEmpty == false }), urls.allSatisfy(EndpointURL.isTLS) {
      return .skipped(.dns, "the proxy looks up the names of hosts")
    }
    var failures: [String] = []
    for host in hosts {
      if let failure = await Self.failure(ofLookingUp: host) { failures.append("\(host): \(failure)") }
    }
    guard failures.isEmpty else {
      return .failed(
        .dns, failures.joined(separator: "\n"),
        help: "Check the name in the configuration, and the name servers in /etc/resolv.conf.")
    }
    return .ok(.dns, hosts.joined(separator: ", "))
  }

  /// Why a name has no address; nil if it has one.
  private static func failure(ofLookingUp host: String) async -> String? {
    let failure = Mutex<String?>("no answer of the name servers")
    _ = await Deadline.keeps(timeout) {
      let code = await Loading.run { () -> Int32 in
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &found)
        if let found { freeaddrinfo(found) }
        return code
      }
      failure.withLock { $0 = code == 0 ? nil : String(cString: gai_strerror(code)) }
    }
    return failure.withLock { $0 }
  }

  /// The first host that says what time it is decides.
  private func clockCheck(_ urls: [(url: String, caFile: String?)]) async -> Diagnosis.Check {
    for (url, caFile) in urls {
      guard let skew = await skewSeconds(url, caFile) else { continue }
      let host = EndpointURL.hostName(url) ?? url
      let detail = "this machine's clock is \(skew.magnitude) s \(skew < 0 ? "behind" : "ahead of") \(host)'s"
      guard skew.magnitude <= Self.skewSecondsMax else {
        return .failed(
          .clock, detail,
          help: "Start the machine's time synchronization, such as systemd-timesyncd or chrony.")
      }
      return .ok(.clock, skew == 0 ? "this machine's clock agrees with \(host)'s" : detail)
    }
    return .skipped(.clock, "no host answered with its time")
  }

  private func skewSeconds(_ url: String, _ caFile: String?) async -> Int64? {
    let destination = Destination(url: url, method: .get, caFile: caFile, timeout: Self.timeout)
    let result = await withCheckedContinuation { continuation in
      transport.send(
        TransportRequest(destination: destination, headers: HeaderList([]), body: []) {
          continuation.resume(returning: $0)
        })
    }
    guard case .success(let response) = result else { return nil }
    return ClockSkew.seconds(by: response, now: Timestamp.now.unixSeconds)
  }
}
