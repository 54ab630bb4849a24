/// What an access token is for.
package enum OAuthScope {
  /// Sending messages: the narrowest scope that FCM accepts.
  package static let messaging = "https://www.googleapis.com/auth/firebase.messaging"
  /// Impersonating a service account, for the tokens that are exchanged for another one.
  static let iam = "https://www.googleapis.com/auth/iam"
}
