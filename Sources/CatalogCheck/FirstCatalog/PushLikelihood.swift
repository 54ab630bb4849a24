internal import AppStrings
internal import FCMMessage

/// How likely a draft's texts are those of a push message, as far as English words tell.
struct PushLikelihood: Comparable {
  private let points: Int

  /// Whether anything speaks for it.
  var isLikely: Bool { points > 0 }

  static func < (left: Self, right: Self) -> Bool { left.points < right.points }

  /// That of the likeliest of its texts; none if a key names a part of a screen.
  init(_ draft: FirstCatalog.Draft) {
    let points = draft.values.flatMap { [$0.android, $0.ios].compactMap(\.self) }.map(Self.points)
    self.points = points.contains(nil) ? 0 : points.compactMap(\.self).max() ?? 0
  }

  /// From 0 on; nil if the key names a part of a screen.
  private static func points(_ text: FirstCatalog.Text) -> Int? {
    // A key with spaces is a text itself.
    let words = text.key.contains(" ") ? [] : KeyWords(text.key).words
    guard !words.contains(where: screenWords.contains) else { return nil }
    var points = words.map { keyPoints[$0] ?? 0 }.max() ?? 0
    let hasArgs = text.argumentCount > 0
    if hasArgs { points += 1 }
    if ParamName.namesSender(in: text.format) { points += 2 }
    let read = text.format.text.lowercased().split { !$0.isLetter }.map(String.init)
    if hasArgs || read.count > 3, read.contains("you") || read.contains("your") { points += 1 }
    let isOfScreen =
      !hasArgs && read.count <= 2 || text.format.text.hasSuffix("?")
      || read.first.map(commands.contains) == true || read.contains { $0.hasPrefix("notification") }
    return max(0, isOfScreen ? points - 3 : points)
  }

  /// What keys of push messages are called, and with one point what many screens are about, too.
  private static let keyPoints: [String: Int] = [
    "push": 4, "notif": 2, "notifs": 2, "notification": 2, "notifications": 2, "invite": 2, "invites": 2,
    "invited": 2, "invitation": 2, "invitations": 2, "mention": 2, "mentioned": 2, "mentions": 2,
    "reminder": 2, "reminders": 2, "message": 1, "messages": 1, "msg": 1, "chat": 1, "alert": 1, "alerts": 1,
    "reply": 1, "replied": 1, "missed": 1, "shipped": 1, "delivered": 1,
  ]

  /// What buttons and settings begin with.
  private static let commands: Set<String> = [
    "accept", "add", "allow", "call", "cancel", "change", "choose", "clear", "close", "copy", "create",
    "delete", "disable", "edit", "enable", "enter", "go", "hide", "join", "leave", "manage", "mark", "mute",
    "open", "reject", "remove", "reschedule", "resend", "reset", "save", "search", "select", "send", "set",
    "share", "show", "start", "stop", "turn", "type", "unmute", "view", "write",
  ]

  /// Parts of screens, and what people do there.
  private static let screenWords: Set<String> = [
    "accessibility", "action", "btn", "button", "cancel", "checkbox", "choose", "confirm", "copy", "delete",
    "description", "dialog", "dialogue", "disable", "edit", "empty", "enable", "error", "hint", "input",
    "label", "menu", "option", "options", "permission", "permissions", "placeholder", "popup", "pref",
    "preference", "preferences", "prefs", "prompt", "remove", "screen", "search", "select", "setting",
    "settings", "snackbar", "switch", "tab", "toast", "toggle", "toolbar", "tooltip",
  ]
}
