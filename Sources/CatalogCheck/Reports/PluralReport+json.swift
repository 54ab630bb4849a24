internal import FCMMessage
package import JSON
internal import LocaleRules

extension PluralReport {
  /// `{"classes":[…],"entries":[…],"findings":[…]}`.
  package var json: JSON {
    [
      "classes": .array(
        classes.map { numbers in
          [
            "smallest": Self.number(numbers.smallest), "examples": .array(numbers.examples.map(Self.number)),
            "categories": .object(
              .init(numbers.categories.map { ($0.language, .string($0.category.rawValue)) })),
          ]
        }),
      "entries": .array(
        entries.map { entry in
          [
            "platform": .string(entry.platform.rawValue), "locale": .string(entry.locale),
            "key": .string(entry.key), "text": .string(entry.text), "file": .string(entry.file),
            "state": .string(entry.state.rawValue),
          ]
        }),
      "findings": .array(findings.map(\.json)),
    ]
  }

  private static func number(_ number: UInt64) -> JSON { JSON(Int64(clamping: number)) }
}
