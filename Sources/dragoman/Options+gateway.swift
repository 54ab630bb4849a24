import Foundation
import HTTPClient
import HTTPServer

extension Command {
  static let defaultURL = "http://127.0.0.1:8080"

  /// The options of every command that calls a running gateway.
  static let gatewayOptions: [(syntax: OptionSyntax, help: String)] = [
    (.value("url"), "the gateway: \(defaultURL) by default, https://HOST:PORT or unix:PATH"),
    (.path("ca-file"), "the certificate authorities to trust for https, in PEM, in place of the system's"),
    (.path("certificate"), "your certificate in PEM, for a gateway with `server.tls.client_ca`"),
    (.path("certificate-key"), "its key, not encrypted; by default in the certificate's file"),
  ]

  /// The further option of those that need an API key.
  static let keyOption: (syntax: OptionSyntax, help: String) = (
    .value("key"), "the API key; the environment variable DRAGOMAN_KEY by default"
  )
}

extension Options {
  /// A client of the gateway that the options name, with this API key.
  func gatewayClient(key: String?) throws(UsageError) -> GatewayClient {
    let caFile = self["ca-file"]
    if let caFile, let problem = TrustedAuthorities.problem(of: caFile) {
      throw UsageError(message: "--ca-file \(caFile): \(problem)")
    }
    return try GatewayClient(
      url: self["url"] ?? Command.defaultURL, key: key, caFile: caFile, identity: clientIdentity())
  }

  private func clientIdentity() throws(UsageError) -> ClientIdentity? {
    guard let certificate = self["certificate"] else {
      guard has("certificate-key") else { return nil }
      throw UsageError(message: "--certificate-key needs --certificate with the file of the certificate")
    }
    let key = self["certificate-key"] ?? certificate
    do {
      _ = try TLSIdentity(loading: TLSConfiguration(certificateFile: certificate, keyFile: key))
    } catch {
      let option = error.kind == .key ? "--certificate-key" : "--certificate"
      throw UsageError(message: "\(option) \(error.file): \(error.reason)")
    }
    return ClientIdentity(certificateFile: certificate, keyFile: key)
  }

  /// The API key of `--key`, otherwise that of `DRAGOMAN_KEY`, without the newline that ends a key's file.
  /// Any other newline would begin a header of its own.
  func apiKey() throws(UsageError) -> String? {
    let source = has("key") ? "--key" : "DRAGOMAN_KEY"
    guard var key = self["key"] ?? ProcessInfo.processInfo.environment[source] else { return nil }
    if key.last == "\n" || key.last == "\r\n" { key.removeLast() }
    guard key.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw UsageError(
        message: "\(source): the key contains a control character, such as a newline in its middle")
    }
    return key
  }
}
