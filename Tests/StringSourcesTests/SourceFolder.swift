import AppStrings
import FCMMessage
import JSON
import LocaleRules
import TestSupport

@testable import StringSources

/// A folder with sources, as tests read them.
struct SourceFolder {
  private let folder: TemporaryFolder
  var path: String { folder.path }

  init(_ files: [String: String]) throws {
    folder = try TemporaryFolder()
    for (name, text) in files { try folder.write(text, to: name) }
  }

  func strings(
    _ format: StringSourceLocation.Format, _ path: String, language: String? = "en"
  ) -> SourceStrings {
    SourceStrings([.init(format, "\(folder.path)/\(path)", line: 1)], developmentLanguage: language)
  }

  /// What a key shows in each language, as `en: Hello <name>`, for a number; with the place of each text.
  func shown(_ strings: SourceStrings, _ key: String, _ number: UInt64 = 5) -> [String] {
    strings.languages.compactMap { language in
      guard let entry = language[key] else { return nil }
      let rules = PluralRules(language: language.locale.description)
      let text: String
      switch entry.content {
      case .failure(let fault): text = "! \(fault.message)"
      case .success(let message):
        let pieces = message.pieces(values: [:]) { plural in
          plural.index(of: number, rules.category(of: number)).map { plural.forms[$0] }
        }
        text = (pieces ?? [.text("-")]).map { piece in
          switch piece {
          case .text(let text): text
          case .argument(let name): "<\(name)>"
          case .position(let index): "<\(index)>"
          }
        }.joined()
      }
      return "\(language.locale): \(text) (\(entry.file.dropFirst(path.count + 1)):\(entry.line))"
    }
  }

  /// The problems as `file:line message`.
  func problems(_ strings: SourceStrings) -> [String] {
    strings.problems.map { problem in
      "\(problem.file.replacing("\(path)/", with: "")):\(problem.line ?? 0) \(problem.message)"
    }
  }
}
