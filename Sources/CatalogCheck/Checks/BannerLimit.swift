internal import Catalog
internal import FCMMessage

/// The length at which a notification's text is cut before the user expands it.
///
/// Neither Apple nor Google publishes a figure, because it depends on the screen, the font size and the
/// script. These are the figures in general use: four lines on an iPhone's lock screen, one line for an
/// Android title and the expanded body that the FCM SDK sets (answers to "Push notification character limit",
/// stackoverflow.com/questions/6307748; help pages of push providers).
struct BannerLimit {
  /// Grapheme clusters.
  let characters: Int
  /// The limit and its source, in one sentence.
  let sentence: String

  /// Nil for a slot without a figure.
  init?(_ slot: TextSlot.Name, on platform: AppPlatform) {
    let device: String
    switch (platform, slot) {
    case (.ios, .body): (characters, device) = (178, "iPhones cut a body")
    case (.android, .title): (characters, device) = (65, "Android phones cut a title")
    case (.android, .body): (characters, device) = (240, "Android phones cut a body")
    case (.ios, .title), (.ios, .subtitle), (.android, .subtitle): return nil
    }
    sentence = "\(device) after about \(characters) characters (push providers' figure, not a vendor's)."
  }
}
