import Dispatch
import Glibc
import TestSupport
import Testing

@testable import HTTPClient

/// Lookups with name servers that lose questions.
@Suite(.timeLimit(.minutes(1))) struct HostLookupTests {
  @Test func outlivesTheRequestThatBeganItAndIsShared() {
    let (answers, asked, questions) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Counter())
    let lookup = HostLookup { _, family in
      _ = questions.next()
      asked.signal()
      answers.wait()
      return family == AF_INET ? .success(["192.0.2.1"]) : .failure(.late)
    }
    #expect(lookup.addresses(of: "fcm.test", within: .milliseconds(1)) == .failure(.late))
    #expect(lookup.addresses(of: "fcm.test", within: .milliseconds(1)) == .failure(.late))
    #expect(lookup.known("fcm.test") == [])
    for _ in 0..<2 { asked.wait() }
    #expect(questions.count == 2)
    // One that failed is asked again, and must not take the answer of the other.
    for _ in 0..<10 { answers.signal() }
    #expect(lookup.addresses(of: "fcm.test", within: .seconds(30)) == .success(["192.0.2.1"]))
    #expect(lookup.known("fcm.test") == ["192.0.2.1"])
  }

  @Test(arguments: [(AF_INET, "192.0.2.1"), (AF_INET6, "2001:db8::1")])
  func oneFamilyDoesNotWaitForALostAnswerAboutTheOther(family: Int32, address: String) {
    let forever = DispatchSemaphore(value: 0)
    defer { forever.signal() }
    let lookup = HostLookup { _, asked in
      if asked != family { forever.wait() }
      return .success([address])
    }
    let began = ContinuousClock.now
    #expect(lookup.addresses(of: "fcm.test", within: .seconds(30)) == .success([address]))
    #expect(ContinuousClock.now - began < .seconds(15))
  }

  @Test func saysWhyThereIsNoAddress() {
    let lookup = HostLookup { _, _ in .failure(.init(reason: "Name or service not known")) }
    #expect(
      lookup.addresses(of: "fcm.test", within: .seconds(30))
        == .failure(.init(reason: "Name or service not known")))
  }

  @Test(arguments: ["192.0.2.1", "2001:db8::1"])
  func looksUpNoAddress(host: String) {
    let lookup = HostLookup { _, _ in .failure(.late) }
    #expect(lookup.addresses(of: host, within: .zero) == .success([host]))
    #expect(HostLookup.curlEntry(host: host, port: 443, [host]) == nil)
  }

  @Test func namesBothFamiliesToLibcurl() {
    #expect(
      HostLookup.curlEntry(host: "fcm.test", port: 8443, ["2001:db8::1", "192.0.2.1"])
        == "+fcm.test:8443:[2001:db8::1],192.0.2.1")
  }

  @Test(arguments: [
    ("https://fcm.test/x", 443), ("http://fcm.test", 80), ("https://[::1]/x", 443),
    ("https://[::1]:8443/x", 8443),
    ("https://fcm.test:1/x:2", 1),
  ])
  func readsThePort(url: String, port: Int) { #expect(EndpointURL.port(url) == port) }
}
