internal import AppStrings
internal import FCMMessage

/// How likely a draft's texts are those of a push message, as far as English words tell.
struct PushLikelihood: Comparable {
  private let points: Int

  /// Nothing speaks for or against it.
  static let possible = PushLikelihood(points: 0)

  static func < (left: Self, right: Self) -> Bool { left.points < right.points }

  private init(points: Int) { self.points = points }

  /// The most of its texts; if the key of one names a part of a screen, it is none.
  init(_ draft: FirstCatalog.Draft) {
    let points = draft.values.flatMap { [$0.android, $0.ios].compactMap(\.self) }.map(Self.points)
    self.points = points.contains(-1) ? -1 : points.max() ?? 0
  }

  private static func points(_ text: FirstCatalog.Text) -> Int {
    // A key with spaces is a text itself.
    let words = text.key.contains(" ") ? [] : KeyWords(text.key).words
    guard !words.contains(where: screenWords.contains) else { return -1 }
    var points =
      words.contains(where: strongWords.contains) ? 3 : words.contains(where: weakWords.contains) ? 1 : 0
    let hasArgs = text.argumentCount > 0
    if ParamName.namesSender(in: text.format) { points += 2 }
    let read = text.format.text.lowercased().split { !$0.isLetter }
    if hasArgs, read.contains("you") || read.contains("your") { points += 1 }
    // A button, or a question of the app to its user.
    let isShort = !hasArgs && read.count <= 2
    if isShort || text.format.text.hasSuffix("?") { points -= 1 }
    return max(0, points)
  }

  /// What keys of push messages are called.
  private static let strongWords: Set<String> = [
    "push", "notif", "notifs", "notification", "notifications", "invite", "invites", "invited", "invitation",
    "invitations", "mention", "mentioned", "mentions", "reminder", "reminders",
  ]

  /// What push messages are about, and many screens, too.
  private static let weakWords: Set<String> = [
    "message", "messages", "msg", "chat", "alert", "alerts", "reply", "replied", "missed", "shipped",
    "delivered",
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
