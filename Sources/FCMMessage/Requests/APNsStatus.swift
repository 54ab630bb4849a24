/// The statuses of APNs' answers.
package enum APNsStatus {
  /// The status of APNs' answer with a reason; nil for none that Apple documents.
  package static func of(_ reason: String) -> Int? { statuses[reason] }

  /// APNs reasons and their statuses (Apple, "Handling notification responses from APNs"). FCM has been
  /// observed to use the second spelling of `BadEnvironmentKeyIdInToken`.
  private static let statuses: [String: Int] = [
    "BadCollapseId": 400, "BadDeviceToken": 400, "BadExpirationDate": 400, "BadMessageId": 400,
    "BadPriority": 400, "BadTopic": 400, "DeviceTokenNotForTopic": 400, "DuplicateHeaders": 400,
    "IdleTimeout": 400, "InvalidPushType": 400, "MissingDeviceToken": 400, "MissingTopic": 400,
    "PayloadEmpty": 400, "TopicDisallowed": 400, "BadCertificate": 403, "BadCertificateEnvironment": 403,
    "ExpiredProviderToken": 403, "Forbidden": 403, "InvalidProviderToken": 403, "MissingProviderToken": 403,
    "UnrelatedKeyIdInToken": 403, "BadEnvironmentKeyIdInToken": 403, "BadEnvironmentKeyInToken": 403,
    "BadPath": 404, "MethodNotAllowed": 405, "ExpiredToken": 410, "Unregistered": 410,
    "PayloadTooLarge": 413, "TooManyProviderTokenUpdates": 429, "TooManyRequests": 429,
    "InternalServerError": 500, "ServiceUnavailable": 503, "Shutdown": 503,
  ]
}
