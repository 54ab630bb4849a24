internal import JSON

/// What is easily taken for the key of a service account: what a file is, and which one is needed, as the end
/// of a sentence that begins with the file's name.
enum OtherFile: String {
  case androidConfiguration = """
    is google-services.json, the configuration of an Android app; \
    create a key of a service account in Firebase's project settings, under Service accounts
    """
  case appleConfiguration = """
    is GoogleService-Info.plist, the configuration of an Apple app; \
    create a key of a service account in Firebase's project settings, under Service accounts
    """
  case oauthClient = """
    is an OAuth client, with which people log in; \
    create a key of a service account in Firebase's project settings, under Service accounts
    """
  case serverKey = """
    is a server key of FCM's legacy API, which Google has shut down; \
    create a key of a service account in Firebase's project settings, under Service accounts
    """
  case privateKey = """
    is a private key without its account, such as an APNs key (.p8): upload that to Firebase, \
    and name the JSON file of a service account here
    """

  /// Nil for anything else.
  init?(_ bytes: [UInt8]) {
    let text = bytes.drop { $0 <= 0x20 }
    if text.starts(with: "-----BEGIN".utf8) {
      self = .privateKey
    } else if text.starts(with: "<?xml".utf8) || text.starts(with: "<!DOCTYPE plist".utf8) {
      self = .appleConfiguration
    } else if text.starts(with: "AAAA".utf8) || text.starts(with: "AIza".utf8) {
      self = .serverKey
    } else if let json = try? JSON.parse(bytes) {
      if json["project_info"]?.object != nil, json["client"]?.array != nil {
        self = .androidConfiguration
      } else if json["installed"]?.object != nil || json["web"]?["client_id"] != nil {
        self = .oauthClient
      } else {
        return nil
      }
    } else {
      return nil
    }
  }
}
