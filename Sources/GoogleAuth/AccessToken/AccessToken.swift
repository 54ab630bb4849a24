package import HTTPClient
internal import Synchronization

/// An access token with the headers of a request to one of Google's APIs that it authorizes.
package final class AccessToken: Sendable {
  package let headers: HeaderList
  /// For finding it where it must not be.
  package let value: Secret
  /// Whether the API has accepted it at least once.
  private let accepted = Atomic<Bool>(false)

  /// `quotaProjectID` is the project whose quota requests count against, if it is not the token's own.
  init(_ value: String, quotaProjectID: String? = nil) {
    var lines = [
      "Authorization: Bearer \(value)", "Content-Type: application/json", "Accept: application/json",
      // Asks for google.rpc.Status errors, as Google's own SDKs do.
      "X-GOOG-API-FORMAT-VERSION: 2", "x-goog-api-client: gl-swift/6 dragoman/1", "Expect:",
    ]
    if let quotaProjectID { lines.append(Self.quotaHeader(quotaProjectID)) }
    headers = HeaderList(lines)
    self.value = Secret(value)
  }

  static func quotaHeader(_ projectID: String) -> String { "x-goog-user-project: \(projectID)" }

  var wasAccepted: Bool { accepted.load(ordering: .relaxed) }

  /// Records that the API has accepted the token.
  package func markAccepted() { if !wasAccepted { accepted.store(true, ordering: .relaxed) } }
}
