import Foundation
import Testing

@testable import HTTPClient

struct PublicAddressTests {
  /// The answer for an address in its usual text form.
  private func isPublic(_ text: String) -> Bool? {
    var four = sockaddr_in()
    if inet_pton(AF_INET, text, &four.sin_addr) == 1 {
      four.sin_family = sa_family_t(AF_INET)
      return withUnsafeBytes(of: four) { PublicAddress.contains(socketAddress: $0) }
    }
    var six = sockaddr_in6()
    guard inet_pton(AF_INET6, text, &six.sin6_addr) == 1 else { return nil }
    six.sin6_family = sa_family_t(AF_INET6)
    return withUnsafeBytes(of: six) { PublicAddress.contains(socketAddress: $0) }
  }

  @Test(arguments: [
    "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
    "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255",
    "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2001:200::1",
    "2003::1", "3ffe::1", "64:ff9b::1.1.1.1",
  ]) func acceptsPublicAddresses(address: String) {
    #expect(isPublic(address) == true)
  }

  @Test(arguments: [
    "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
    "127.255.255.255", "168.63.129.16", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
    "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:1.1.1.1", "::ffff:0:1.1.1.1",
    "64:ff9b::10.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b:1::1.1.1.1", "100::1",
    "2001::1", "2001:1ff::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1", "fc00::1", "fdff::1",
    "fe80::1", "febf::1", "fec0::1", "ff02::1", "fd00:ec2::254",
  ]) func rejectsAllOthers(address: String) {
    #expect(isPublic(address) == false)
  }

  @Test func rejectsOtherFamiliesAndTruncatedAddresses() {
    var unix = sockaddr_un()
    unix.sun_family = sa_family_t(AF_UNIX)
    #expect(!withUnsafeBytes(of: unix) { PublicAddress.contains(socketAddress: $0) })
    #expect(!PublicAddress.contains(socketAddress: UnsafeRawBufferPointer(start: nil, count: 0)))
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_addr.s_addr = 0x0101_0101
    #expect(
      !withUnsafeBytes(of: four) {
        PublicAddress.contains(socketAddress: UnsafeRawBufferPointer(rebasing: $0[..<6]))
      })
  }
}
