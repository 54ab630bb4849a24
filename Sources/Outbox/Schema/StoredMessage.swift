import FCMMessage
import SQL

/// A message as databases hold it: compressed by LZ4, with a dictionary of what most messages have.
///
/// A message is most of a row, and rows are most of what is written: without this, a commit writes half as
/// many bytes again. The first byte says what follows: 1 the message's own encoded form, whose first byte it
/// is; 2 the length of that form (two bytes, little-endian) and an LZ4 block of it.
extension SealedMessage {
  private static let compressed: UInt8 = 2
  private static let headerBytes = 3

  var stored: [UInt8] {
    guard encoded.count <= Int(UInt16.max) else { return encoded }
    let stored = [UInt8](unsafeUninitializedCapacity: encoded.count) { buffer, count in
      // What does not become shorter does not fit.
      let compressed = Self.dictionary.compress(
        encoded, into: UnsafeMutableRawBufferPointer(buffer).dropFirst(Self.headerBytes))
      guard compressed > 0 else { return }
      buffer[0] = Self.compressed
      buffer[1] = UInt8(truncatingIfNeeded: encoded.count)
      buffer[2] = UInt8(truncatingIfNeeded: encoded.count >> 8)
      count = Self.headerBytes + compressed
    }
    return stored.isEmpty ? encoded : stored
  }

  /// Nil for anything but the stored form of a message.
  init?(stored: [UInt8]) {
    guard stored.first == Self.compressed else {
      self.init(encoded: stored)
      return
    }
    guard stored.count > Self.headerBytes else { return nil }
    let length = Int(stored[1]) | Int(stored[2]) << 8
    guard
      let encoded = Self.dictionary.decompress(stored[Self.headerBytes...], byteCount: length)
    else { return nil }
    self.init(encoded: encoded)
  }

  /// Never changes, since messages in queues could not be read with another one; a new one would need a first
  /// byte of its own. LZ4 reads the end of it fastest, so that what is most frequent is there, in the order
  /// in which messages are assembled.
  private static let dictionary = LZ4Dictionary(
    #"""
    "fcm_options":{"analytics_label":"","image":"https://"},"data":{"url":"https://www.","type":"","id":""},\#
    "dry_run":true,"direct_boot_ok":true,"restricted_package_name":"com.","collapse_key":"","android":{\#
    "priority":"normal","ttl":"s","notification":{"title":"","body":"","icon":"","color":"#","sound":"default",\#
    "click_action":"","visibility":"PRIVATE","notification_priority":"PRIORITY_HIGH","notification_count":1,\#
    "apns":{"live_activity_token":"","headers":{"apns-priority":"5","apns-push-type":"liveactivity","apns-topic":"com.\#
    .push-type.liveactivity"},"payload":{"aps":{"content-available":1,"mutable-content":1,"category":"",\#
    "badge":1,"interruption-level":"time-sensitive","relevance-score":1,"timestamp":,"event":"start",\#
    "content-state":{"attributes-type":"","attributes":{"stale-date":,"dismissal-date":,\#
    "subtitle-loc-key":"","subtitle-loc-args":["","launch-image":""webpush":{"headers":{"Urgency":"high","TTL":""},\#
    "notification":{"title":"","body":"","icon":"/","badge":"/"},"fcm_options":{"link":"https://"}}\#
    "android":{"priority":"high","ttl":"s","notification":{"title_loc_key":"","title_loc_args":["\#
    "],"body_loc_key":"","body_loc_args":["1","2","],"channel_id":"default","icon":"ic_notification","tag":""}},\#
    "apns":{"headers":{"apns-priority":"10","apns-expiration":"","apns-collapse-id":""},\#
    "payload":{"aps":{"alert":{"title":"","body":"","title-loc-key":"","title-loc-args":["],"loc-key":"","loc-args":["],\#
    "sound":"default","thread-id":""}}},"webpush":{"headers":{"TTL":""},"notification":{"title":"","body":"
    """#.utf8)
}
