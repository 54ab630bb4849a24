internal import AppStrings
internal import FCMMessage
internal import LocaleRules

/// A plural of the app in one language, taken apart.
struct PluralForms {
  /// Why a plural has no texts for push messages: a sentence about it.
  struct UnreadableError: Error, Equatable {
    let reason: FindingText
    /// What to do.
    let help: AdviceText

    init(_ reason: FindingText, help: AdviceText = .correctPlural) {
      (self.reason, self.help) = (reason, help)
    }
  }

  private let platform: AppPlatform
  /// The text around the form; nil if the forms are whole texts.
  private let format: [PluralPiece]?
  private let forms: [PluralCategory: [PluralPiece]]
  /// Whether the entry is one text for all numbers.
  let isPlain: Bool
  /// The number's index among the app's own args, from 0, where the plural says so.
  let numberArgument: Int?

  /// Reads an Android `<plurals>`, or an iOS entry. `reached` are the categories that whole numbers have in
  /// its language: a plural with a form for each of them is read without a form `other` too.
  init(
    _ entry: StringEntry, on platform: AppPlatform,
    reached: Set<PluralCategory> = Set(PluralCategory.allCases)
  ) throws(UnreadableError) {
    self.platform = platform
    switch (platform, entry.value, entry.pluralFormat) {
    case (.android, .plural(let forms), _):
      self.forms = try Self.forms(forms, of: nil, reached) {
        PluralPiece.pieces(of: $0, on: .android)
      }
      (format, isPlain, numberArgument) = (nil, false, nil)
    case (.ios, .string(let text), _):
      forms = [.other: PluralPiece.pieces(of: text, on: .ios)]
      (format, isPlain, numberArgument) = (nil, true, nil)
    case (.ios, .plural, let apple?):
      guard let text = apple.format else {
        let variable = apple.variables.first
        forms = try Self.forms(variable?.forms ?? [], of: nil, reached) {
          PluralPiece.pieces(of: $0, on: .ios, hasArgSign: apple.hasArgSign)
        }
        try Self.refuseVariables(in: forms)
        (format, numberArgument) = (nil, nil)
        isPlain = variable?.forms.map(\.category) == ["other"] && !apple.hasArgSign
        return
      }
      let pieces = PluralPiece.pieces(of: text, on: .ios)
      guard let (variable, argument) = try Self.variable(of: apple, in: pieces) else {
        forms = [.other: pieces]
        (format, isPlain, numberArgument) = (nil, true, nil)
        return
      }
      forms = try Self.forms(variable.forms, of: variable.name, reached) {
        PluralPiece.pieces(of: $0, on: .ios, ordinal: argument, hasArgSign: apple.hasArgSign)
      }
      try Self.refuseVariables(in: forms)
      (format, isPlain, numberArgument) = (pieces, false, argument)
    default: throw UnreadableError(FindingText(.notAPlural))
    }
  }

  /// Nil if no texts can be made of the plural; `check` says why.
  init?(readable entry: StringEntry, on platform: AppPlatform, reached: Set<PluralCategory>) {
    do throws(UnreadableError) {
      try self.init(entry, on: platform, reached: reached)
    } catch {
      return nil
    }
  }

  /// The only variable in a format, with the index of its arg; nil if there is none.
  private static func variable(
    of apple: PluralFormat, in format: [PluralPiece]
  ) throws(UnreadableError) -> (PluralFormat.Variable, argument: Int)? {
    var found: (name: String, argument: Int?)?
    for case .variable(let name, let argument) in format {
      if let found, found.name != name { throw .twoVariables }
      found = found ?? (name, argument)
    }
    guard let found else { return nil }
    guard let variable = apple.variables.first(where: { $0.name == found.name }) else {
      throw UnreadableError(FindingText(.undefinedVariable, [found.name]))
    }
    guard let argument = variable.position.map({ $0 - 1 }) ?? found.argument, argument >= 0 else {
      throw UnreadableError(FindingText(.impossiblePosition, [found.name]))
    }
    return (variable, argument)
  }

  private static func forms(
    _ forms: [StringEntry.Form], of variable: String?, _ reached: Set<PluralCategory>,
    _ pieces: (String) -> [PluralPiece]
  ) throws(UnreadableError) -> [PluralCategory: [PluralPiece]] {
    var result: [PluralCategory: [PluralPiece]] = [:]
    for category in PluralCategory.allCases {
      // A form that varies by device is read as on an iPhone.
      let names = [category.rawValue, "\(category.rawValue).iphone", "\(category.rawValue).other"]
      let form = names.lazy.compactMap { name in forms.first { $0.category == name && !$0.text.isEmpty } }
        .first
      result[category] = form.map { pieces($0.text) }
    }
    guard result[.other] != nil || reached.isSubset(of: result.keys) else {
      throw UnreadableError(
        variable.map { FindingText(.variableLacksOther, [$0]) } ?? FindingText(.pluralLacksOther),
        help: .addOther)
    }
    return result
  }

  private static func refuseVariables(
    in forms: [PluralCategory: [PluralPiece]]
  ) throws(UnreadableError) {
    for pieces in forms.values {
      for case .variable in pieces { throw .twoVariables }
    }
  }

  /// Whether the form is missing that platforms demand in every language.
  var lacksOther: Bool { forms[.other] == nil }

  /// The indices of the args that integer placeholders show.
  var integerArguments: Set<Int> {
    forms.values.reduce(into: []) { found, pieces in
      for case .placeholder(let argument?, true, _) in pieces { found.insert(argument) }
    }
  }

  /// The number of the app's own args that the texts show: the highest position.
  var argumentCount: Int {
    let all = forms.values.joined() + (format ?? [])
    let arguments = all.map { piece in
      switch piece {
      case .placeholder(let argument?, _, _), .variable(_, let argument?): argument + 1
      case .number: 1
      default: 0
      }
    }
    return arguments.max() ?? 0
  }

  /// The form that stands for a number in a category. iOS uses the form `zero` for 0 in every language.
  func form(for category: PluralCategory, isZero: Bool) -> PluralCategory {
    if isZero, platform == .ios, forms[.zero] != nil { return .zero }
    return forms[category] == nil ? .other : category
  }

  /// Whether the text of a form shows the app's own arg with an index.
  func shows(_ argument: Int, in form: PluralCategory) -> Bool {
    ((forms[form] ?? []) + (format ?? [])).contains { piece in
      switch piece {
      case .number: true
      case .placeholder(let shown, _, _): shown == argument
      case .literal, .variable: false
      }
    }
  }

  /// Whether the plural has a text in a form.
  func has(_ form: PluralCategory) -> Bool { forms[form] != nil }

  /// Whether two forms have the same text.
  func areAlike(_ first: PluralCategory, _ second: PluralCategory) -> Bool { forms[first] == forms[second] }

  /// The text for a number in a category, with placeholders for strings.
  func text(_ category: PluralCategory, isZero: Bool, _ position: PluralNumberPosition) -> String {
    let form = forms[form(for: category, isZero: isZero)] ?? []
    guard let format else { return text(of: form, position) }
    return format.map { piece in
      if case .variable = piece { text(of: form, position) } else { text(of: [piece], position) }
    }.joined()
  }

  private func text(of pieces: [PluralPiece], _ position: PluralNumberPosition) -> String {
    pieces.map { piece in
      switch piece {
      case .literal(let text): text
      case .placeholder(let argument?, _, let conversion):
        "%\(position.index(of: argument) + 1)$\(conversion)"
      case .placeholder(nil, _, let conversion): "%0$\(conversion)"
      case .number: "%\(position.slot + 1)$\(platform == .ios ? "@" : "s")"
      case .variable: ""
      }
    }.joined()
  }
}

extension PluralForms.UnreadableError {
  static let twoVariables = PluralForms.UnreadableError(
    FindingText(.twoNumbers), help: .splitPlural)
}

/// Where the number is among the app's own args and among those of the slot. The other args keep their order.
struct PluralNumberPosition: Equatable {
  let app: Int
  let slot: Int

  /// The index in the slot's args of the app's own arg with an index.
  func index(of argument: Int) -> Int {
    if argument == app { return slot }
    let rank = argument < app ? argument : argument - 1
    return rank < slot ? rank : rank + 1
  }
}
