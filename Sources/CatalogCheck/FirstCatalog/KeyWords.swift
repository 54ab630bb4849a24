internal import AppStrings
internal import Catalog
internal import FCMMessage

/// The words of a key, whatever the platform's convention: `new_message_body`, `NEW_MESSAGE_BODY`,
/// `newMessageBody` and `new.message.body` are equal.
struct KeyWords: Hashable {
  let words: [String]

  init(_ key: String) {
    var words: [String] = []
    var word = ""
    var previousIsLower = false
    for scalar in key.unicodeScalars {
      let isLower = scalar.properties.isLowercase || scalar.properties.numericType != nil
      let isPart = isLower || scalar.properties.isAlphabetic
      if !isPart || (previousIsLower && !isLower), !word.isEmpty {
        words.append(word)
        word = ""
      }
      if isPart { word += scalar.properties.lowercaseMapping }
      previousIsLower = isLower
    }
    if !word.isEmpty { words.append(word) }
    self.words = words
  }

  private init(words: [String]) { self.words = words }

  private static let nameBytesMax = 50
  private static let titleWords = ["title", "headline", "heading", "subject"]
  private static let bodyWords = ["body", "text", "content"]

  /// The words after those of `prefix`; nil if the key does not begin with them.
  func dropping(_ prefix: KeyWords) -> KeyWords? {
    guard words.starts(with: prefix.words), words.count > prefix.words.count else { return nil }
    return KeyWords(words: Array(words.dropFirst(prefix.words.count)))
  }

  /// The template that the key seems to belong to, and the slot that its last word names, otherwise the body.
  /// Beside a key `X_body` the key `X` is the title.
  func guess(among known: Set<KeyWords>) -> (template: String, slot: TextSlot.Name) {
    let slot: TextSlot.Name? =
      switch words.last {
      case .some(let word) where Self.titleWords.contains(word): .title
      case "subtitle": .subtitle
      case .some(let word) where Self.bodyWords.contains(word): .body
      default: nil
      }
    let stem = slot == nil || words.count == 1 ? words : words.dropLast()
    // Template names are ASCII, and shorter than a key that is a whole sentence.
    var name = ""
    for word in stem.lazy.map({ $0.unicodeScalars.filter(\.isASCII) }) where !word.isEmpty {
      let next = String(String.UnicodeScalarView(word.prefix(Self.nameBytesMax)))
      guard name.isEmpty || name.utf8.count + next.utf8.count < Self.nameBytesMax else { break }
      name += name.isEmpty ? next : "_" + next
    }
    if let slot { return (name, slot) }
    func has(_ suffixes: [String]) -> Bool {
      suffixes.contains { known.contains(KeyWords(words: words + [$0])) }
    }
    return (name, has(Self.bodyWords) && !has(Self.titleWords) ? .title : .body)
  }
}
