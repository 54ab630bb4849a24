extension MessageSchema {
  package static let messagePriority = EnumType(
    name: "AndroidConfig.AndroidMessagePriority", values: ["NORMAL", "HIGH"], acceptsLowerCase: true)
  package static let notificationPriority = EnumType(
    name: "AndroidNotification.NotificationPriority",
    values: [
      "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH",
      "PRIORITY_MAX",
    ], acceptsLowerCase: false)
  package static let visibility = EnumType(
    name: "AndroidNotification.Visibility",
    values: ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"], acceptsLowerCase: false)
  package static let proxy = EnumType(
    name: "AndroidNotification.Proxy",
    values: ["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"], acceptsLowerCase: false)

  /// The fields of `type` in the discovery document.
  static func table(of type: ObjectType) -> Table {
    switch type {
    case .sendMessageRequest: sendMessageRequestFields
    case .message: messageFields
    case .notification: notificationFields
    case .fcmOptions: fcmOptionsFields
    case .androidConfig: androidConfigFields
    case .androidNotification: androidNotificationFields
    case .androidFcmOptions: androidFcmOptionsFields
    case .lightSettings: lightSettingsFields
    case .color: colorFields
    case .androidConfigV2: androidConfigV2Fields
    case .androidRemoteNotification: androidRemoteNotificationFields
    case .androidNotificationV2: androidNotificationV2Fields
    case .lightSettingsV2: lightSettingsV2Fields
    case .androidBackgroundSyncMessage: androidBackgroundSyncMessageFields
    case .apnsConfig: apnsConfigFields
    case .apnsFcmOptions: apnsFcmOptionsFields
    case .webpushConfig: webpushConfigFields
    case .webpushFcmOptions: webpushFcmOptionsFields
    }
  }

  private static let sendMessageRequestFields = Table([
    Field("message", .object(.message)),
    Field("validate_only", .boolean),
  ])

  private static let messageFields = Table([
    Field("android", .object(.androidConfig)),
    Field("android_v2", .object(.androidConfigV2)),
    Field("apns", .object(.apnsConfig)),
    Field("condition", .string),
    Field("data", .stringMap),
    Field("fcm_options", .object(.fcmOptions)),
    Field("fid", .string),
    Field("name", .string),
    Field("notification", .object(.notification)),
    Field("token", .string),
    Field("topic", .string),
    Field("webpush", .object(.webpushConfig)),
  ])

  private static let notificationFields = Table([
    Field("body", .string),
    Field("image", .string),
    Field("title", .string),
  ])

  private static let fcmOptionsFields = Table([
    Field("analytics_label", .string)
  ])

  private static let androidConfigFields = Table([
    Field("bandwidth_constrained_ok", .boolean),
    Field("collapse_key", .string),
    Field("data", .stringMap),
    Field("direct_boot_ok", .boolean),
    Field("fcm_options", .object(.androidFcmOptions)),
    Field("notification", .object(.androidNotification)),
    Field("priority", .enumeration(messagePriority)),
    Field("restricted_package_name", .string),
    Field("restricted_satellite_ok", .boolean),
    Field("ttl", .duration),
  ])

  private static let androidNotificationFields = Table([
    Field("body", .string),
    Field("body_loc_args", .list(.string)),
    Field("body_loc_key", .string),
    Field("bypass_proxy_notification", .boolean),
    Field("channel_id", .string),
    Field("click_action", .string),
    Field("color", .string),
    Field("default_light_settings", .boolean),
    Field("default_sound", .boolean),
    Field("default_vibrate_timings", .boolean),
    Field("event_time", .timestamp),
    Field("icon", .string),
    Field("image", .string),
    Field("light_settings", .object(.lightSettings)),
    Field("local_only", .boolean),
    Field("notification_count", .int32),
    Field("notification_priority", .enumeration(notificationPriority)),
    Field("proxy", .enumeration(proxy)),
    Field("sound", .string),
    Field("sticky", .boolean),
    Field("tag", .string),
    Field("ticker", .string),
    Field("title", .string),
    Field("title_loc_args", .list(.string)),
    Field("title_loc_key", .string),
    Field("vibrate_timings", .list(.duration)),
    Field("visibility", .enumeration(visibility)),
  ])

  private static let androidFcmOptionsFields = Table([
    Field("analytics_label", .string)
  ])

  private static let lightSettingsFields = Table([
    Field("color", .object(.color)),
    Field("light_off_duration", .duration),
    Field("light_on_duration", .duration),
  ])

  private static let colorFields = Table([
    Field("alpha", .float),
    Field("blue", .float),
    Field("green", .float),
    Field("red", .float),
  ])

  private static let androidConfigV2Fields = Table([
    Field("background_sync", .object(.androidBackgroundSyncMessage)),
    Field("bandwidth_constrained_ok", .boolean),
    Field("collapse_key", .string),
    Field("data", .stringMap),
    Field("direct_boot_ok", .boolean),
    Field("fcm_options", .object(.androidFcmOptions)),
    Field("remote_notification", .object(.androidRemoteNotification)),
    Field("restricted_package_name", .string),
    Field("restricted_satellite_ok", .boolean),
    Field("ttl", .duration),
  ])

  private static let androidRemoteNotificationFields = Table([
    Field("mutable_content", .boolean),
    Field("notification", .object(.androidNotificationV2)),
    Field("use_as_v1_data_message", .boolean),
  ])

  private static let androidNotificationV2Fields = Table([
    Field("body", .string),
    Field("body_loc_args", .list(.string)),
    Field("body_loc_key", .string),
    Field("channel_id", .string),
    Field("click_action", .string),
    Field("color", .string),
    Field("default_light_settings", .boolean),
    Field("default_sound", .boolean),
    Field("default_vibrate_timings", .boolean),
    Field("event_time", .timestamp),
    Field("icon", .string),
    Field("id", .int32),
    Field("image", .string),
    Field("light_settings", .object(.lightSettingsV2)),
    Field("local_only", .boolean),
    Field("notification_count", .int32),
    Field("notification_priority", .enumeration(notificationPriority)),
    Field("sound", .string),
    Field("sticky", .boolean),
    Field("tag", .string),
    Field("ticker", .string),
    Field("title", .string),
    Field("title_loc_args", .list(.string)),
    Field("title_loc_key", .string),
    Field("vibrate_timings", .list(.duration)),
    Field("visibility", .enumeration(visibility)),
  ])

  private static let lightSettingsV2Fields = Table([
    Field("color", .object(.color)),
    Field("light_off_duration", .duration),
    Field("light_on_duration", .duration),
  ])

  private static let androidBackgroundSyncMessageFields = Table([])

  private static let apnsConfigFields = Table([
    Field("fcm_options", .object(.apnsFcmOptions)),
    Field("headers", .stringMap),
    Field("live_activity_token", .string),
    Field("payload", .freeObject),
  ])

  private static let apnsFcmOptionsFields = Table([
    Field("analytics_label", .string),
    Field("image", .string),
  ])

  private static let webpushConfigFields = Table([
    Field("data", .stringMap),
    Field("fcm_options", .object(.webpushFcmOptions)),
    Field("headers", .stringMap),
    Field("notification", .freeObject),
  ])

  private static let webpushFcmOptionsFields = Table([
    Field("analytics_label", .string),
    Field("link", .string),
  ])
}
