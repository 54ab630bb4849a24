package import JSON

/// A `google.rpc.Status` as Google's APIs return errors:
/// `{"error": {"code", "message", "status", "details": […]}}`.
package struct GoogleAPIStatus: Sendable {
  /// The name of the RPC code: `RESOURCE_EXHAUSTED`.
  package let status: String?
  package let message: String?
  /// In any order; often empty.
  package let details: [JSON]

  /// Nil if `body` has no such shape.
  package init?(_ body: JSON) {
    guard let error = (body["error"] ?? body[0]?["error"]), error.object != nil else { return nil }
    status = error["status"]?.string
    message = error["message"]?.string
    details = error["details"]?.array ?? []
  }
}
