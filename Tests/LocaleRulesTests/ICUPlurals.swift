import _FoundationICU

/// ICU's own plural rules, asked number by number, and their texts in its data.
final class ICUPlurals {
  private let handle: OpaquePointer?

  init(_ language: String) {
    var status = U_ZERO_ERROR
    handle = swift_uplrules_open(language, &status)
  }

  deinit { swift_uplrules_close(handle) }

  func category(of number: UInt64) -> String {
    var status = U_ZERO_ERROR
    var keyword = [UChar](repeating: 0, count: 16)
    // Doubles are exact up to 2^53.
    let length = swift_uplrules_select(handle, Double(number), &keyword, 16, &status)
    return String(decoding: keyword.prefix(Int(length)), as: UTF16.self)
  }

  /// Each language that has rules, with the name of its set of rules.
  static let ruleSets: [String: String] = {
    var status = U_ZERO_ERROR
    let root = swift_ures_openDirect(nil, "plurals", &status)
    let locales = swift_ures_getByKey(root, "locales", nil, &status)
    defer {
      swift_ures_close(locales)
      swift_ures_close(root)
    }
    return strings(in: locales)
  }()

  /// The rules of a set by category, without their samples.
  static func rules(ofSet name: String) -> [String: String] {
    var status = U_ZERO_ERROR
    let root = swift_ures_openDirect(nil, "plurals", &status)
    let rules = swift_ures_getByKey(root, "rules", nil, &status)
    let set = swift_ures_getByKey(rules, name, nil, &status)
    defer { for bundle in [set, rules, root] { swift_ures_close(bundle) } }
    return strings(in: set).mapValues { String($0.prefix { $0 != "@" }) }
  }

  private static func strings(in table: OpaquePointer?) -> [String: String] {
    var result: [String: String] = [:]
    swift_ures_resetIterator(table)
    while swift_ures_hasNext(table) != 0 {
      var status = U_ZERO_ERROR
      var length: Int32 = 0
      var key: UnsafePointer<CChar>?
      guard let text = swift_ures_getNextString(table, &length, &key, &status), let key else { break }
      let units = UnsafeBufferPointer(start: text, count: Int(length))
      result[String(cString: key)] = String(decoding: units, as: UTF16.self)
    }
    return result
  }
}
