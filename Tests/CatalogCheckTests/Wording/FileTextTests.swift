import AppStrings
import Catalog
import JSON
import TestSupport
import Testing

@testable import CatalogCheck

/// What readers of files found, which the console says in other languages.
@Suite struct FileTextTests {
  @Test(arguments: [
    (FileReadError.Code.folder, true), (.notAFile, true), (.tooLarge(bytesMax: 9), true), (.system(13), true),
    (.system(2), true), (.system(5), false),
  ])
  func saysWhyAFileCannotBeRead(code: FileReadError.Code, isTranslated: Bool) {
    let error = FileReadError(code: code)
    #expect(error.text.english == error.reason)
    #expect(error.shortText.english == error.shortReason)
    #expect((error.text.json != .string(error.reason)) == isTranslated)
  }

  @Test func saysInOneTextWhatNeedsSeveral() {
    let two = FindingText(.noLanguage, ["xx"]) + FindingText(.noPhoneLooks, ["values-xx"])
    let text = FindingText(.inPlace, ["a.ipa", two])
    #expect(text.english == "a.ipa: \(two.english)")
    #expect(
      text.sentences == [
        ["inPlace", "a.ipa", ["together", ["noLanguage", "xx"], ["noPhoneLooks", "values-xx"]]]
      ])
  }

  /// Files with faults of each kind that readers find, and the rules that report them.
  @Test func hasTextsForWhatReadersFind() throws {
    let app = try SourceApp(
      sources: [
        "lib/l10n/app_en.arb": "{\"hello\": \"Hi {sender, number}\", \"hello\": \"Hi {sender, number}\"}",
        "lib/l10n/app_fr.arb": "{\"hello\": ", "lib/l10n/other.arb": "{\"hello\": \"\"}",
      ])
    let resources = "<resources>\n"
    let files = [
      "res/values/strings.xml": resources + "<string name=\"a\">x & y</string><string name=\"2b\">x</string>"
        + "<string name=\"c\">x</string><string name=\"c\">it's</string></resources>",
      "res/values/more.xml": "<<<<<<< HEAD\n", "res/values/old.xml": "<a/>",
      "res/values-fr/strings.xml": resources + "<string name=\"a\">x",
      "res/values-en_GB/strings.xml": resources + "</resources>",
      "res/values-xx/strings.xml": resources + "</resources>",
      "res/values-he/strings.xml": resources + "</resources>",
      "res/value-de/strings.xml": resources + "</resources>", "res/values/strings.xml.txt": "",
      "app/en.lproj/Localizable.strings": "\"a\" = \"x\";\n\"a\" = \"y\";\n\"b\" = (x);\n\"c\" = {x = y;};\n",
      "app/fr.lproj/Localizable.strings": "\"a\" = \"x\"\n\"b\" = \"y\";",
      "app/en-rUS.lproj/Localizable.strings": "",
      "app/de.lproj/Localizable.strings": "“a” = \"x\";",
      "app/und.lproj/Localizable.strings": "\"a\" = \"x\";",
      "app/de.lproj/Localizable.stringsdict": "<plist><dict><key>a</key></dict></plist>",
      "app/pt.lproj/localizable.strings": "", "app/Localizable.xcstrings": "{\"strings\": {},",
    ]
    for (path, text) in files { try app.folder.write(text, to: path) }
    let loaded = try app.load()
    let found = Check(loaded.catalog, against: loaded.resources).report().findings
    let rules: [CheckRule] = [
      .unparsableStrings, .localeFolder, .unreachableLocale, .unreadFile, .duplicateKey, .invalidResourceName,
      .sourceUnsupported,
    ]
    for rule in rules {
      let own = found.filter { $0.rule == rule }
      #expect(!own.isEmpty, "\(rule)")
      for finding in own {
        for sentence in finding.fault.sentences + finding.advice.sentences {
          #expect(sentence.array != nil, "\(finding.message) \(finding.help)")
        }
      }
    }
    #expect(Set(found.filter { rules.contains($0.rule) }.map(\.message)).count > 20)
  }
}
