internal import FCMMessage

/// Which parts a message has, and which texts it carries as literals. Loc keys are the default.
package struct MessageContent: Sendable, Equatable {
  /// The only platform with a part; nil for all.
  package var platform: Recipient.Platform?
  /// The texts of Android's part; nil for loc keys.
  package var android: LiteralTexts?
  /// The texts of the iPhone's part; nil for loc keys and the fallback.
  package var ios: LiteralTexts?
  /// The texts of the browser's part; nil for the fallback, if there is one.
  package var web: LiteralTexts?

  /// The loc args of Android's part.
  package var androidArgs = ArgTexts()
  /// The loc args of the iPhone's part.
  package var iosArgs = ArgTexts()

  package init(platform: Recipient.Platform? = nil) { self.platform = platform }

  /// A message for any device, with loc keys.
  package static let deviceTexts = MessageContent()

  /// Whether the message has a part for a platform; nil stands for what is not for one platform.
  package func includes(_ part: Recipient.Platform?) -> Bool {
    platform == nil || part == nil || platform == part
  }

  /// Whether a platform's part has literal texts.
  func hasTexts(of part: Recipient.Platform) -> Bool {
    switch part {
    case .android: android != nil
    case .ios: ios != nil
    case .web: web != nil
    }
  }

  func texts(of part: Recipient.Platform) -> LiteralTexts? {
    switch part {
    case .android: android
    case .ios: ios
    case .web: web
    }
  }
}

extension MessageContent {
  /// The same with empty texts. Messages whose contents have equal shapes differ in nothing but their texts.
  var shape: MessageContent {
    var shape = self
    (shape.android, shape.ios, shape.web) = (android?.emptied, ios?.emptied, web?.emptied)
    // Only loc keys have args.
    if android != nil || !includes(.android) { shape.androidArgs = ArgTexts() }
    if ios != nil || !includes(.ios) { shape.iosArgs = ArgTexts() }
    return shape
  }
}

/// Literal texts of one platform's part of a message.
package struct LiteralTexts: Sendable, Equatable {
  private var title: String?
  private var subtitle: String?
  private var body: String?

  package init() {}

  /// All texts that the fallback has for a platform.
  package init(_ fallback: Fallback?, for platform: Recipient.Platform) {
    guard let fallback else { return }
    (title, body) = (fallback.title, fallback.body)
    // Only an iPhone displays a subtitle.
    if platform == .ios { subtitle = fallback.subtitle }
  }

  package subscript(name: TextSlot.Name) -> String? {
    get {
      switch name {
      case .title: title
      case .subtitle: subtitle
      case .body: body
      }
    }
    set {
      switch name {
      case .title: title = newValue
      case .subtitle: subtitle = newValue
      case .body: body = newValue
      }
    }
  }

  fileprivate var emptied: LiteralTexts {
    var texts = LiteralTexts()
    for name in TextSlot.Name.allCases where self[name] != nil { texts[name] = "" }
    return texts
  }
}
