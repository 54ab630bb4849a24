import Testing

@testable import HTTPServer

struct HostPolicyTests {
  private func allows(_ host: String?, names: [String] = [], peer: String = "127.0.0.1:1") -> Bool {
    var headers: HTTPHeaders = [:]
    if let host { headers.add("Host", host) }
    return HostPolicy(allowing: names)
      .allows(HTTPRequestHead(method: "GET", target: "/", headers: headers, peer: peer))
  }

  @Test(arguments: [
    "localhost", "LOCALHOST:8080", "localhost.", "localhost.:80", "a.localhost:1", "127.0.0.1",
    "127.0.0.1:8080", "10.1.2.3:80", "255.255.255.255", "[::1]", "[::1]:8080", "[2001:db8::1]:80",
    "[::ffff:127.0.0.1]:80",
  ])
  func allowsThisMachineAndAddresses(_ host: String) { #expect(allows(host)) }

  @Test(arguments: [
    "attacker.example", "attacker.example:8080", "localhost.attacker.example", "127.0.0.1.attacker.example",
    "notlocalhost", "1.2.3", "1.2.3.", "1.2.3.4.5", "256.0.0.1", "1.2.3.0004", "0x7f.0.0.1", "2130706433",
    "[::1", "[attacker.example]", "[]", "", ":80", "127.0.0.1:80:80",
  ])
  func refusesOtherNames(_ host: String) { #expect(!allows(host)) }

  @Test func allowsConfiguredNames() {
    #expect(allows("Gateway.internal:8080", names: ["gateway.INTERNAL"]))
    #expect(allows("gateway.internal.", names: ["gateway.internal"]))
    #expect(!allows("a.gateway.internal", names: ["gateway.internal"]))
    #expect(allows("attacker.example", names: ["*"]))
  }

  @Test func allowsWhatNoBrowserSends() {
    #expect(allows(nil))
    #expect(allows("anything", peer: "unix"))
  }

  @Test func knowsWhatANameIs() {
    for name in ["gateway", "gateway.internal", "a_b-c.example", "*"] { #expect(HostPolicy.isName(name)) }
    for text in ["", "gateway:80", "http://gateway", "gateway/", "*.example", "a b", "[::1]"] {
      #expect(!HostPolicy.isName(text), "\(text)")
    }
  }
}
