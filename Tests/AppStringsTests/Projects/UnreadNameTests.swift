import Testing

@testable import AppStrings

/// Names that look like those of string files.
@Suite struct UnreadNameTests {
  @Test(
    arguments: [
      ("vaules-nl", "values-nl"), ("value-fr", "values-fr"), ("values.pl", "values-pl"),
      ("valuesde", "values-de"),
      ("values_de", "values-de"), ("Values-it", "values-it"), ("valeus", "values"), ("VALUES", "values"),
      ("values_pt_BR", "values-pt-rBR"), ("layout", nil), ("xml", nil), ("raw", nil), ("drawable", nil),
    ] as [(String, String?)])
  func foldersMean(_ name: String, _ right: String?) {
    #expect(UnreadNames.valuesFolder(meantBy: name) == right)
  }

  @Test(
    arguments: [
      ("strings.XML", "strings.xml"), ("strings.xml.txt", "strings.xml"), ("strings.xml~", "strings.xml"),
      ("strings.xml", nil), ("strings.json", nil), (".xml.swp", nil), ("xml", nil), ("notes.txt", nil),
    ] as [(String, String?)])
  func filesMean(_ name: String, _ right: String?) {
    #expect(UnreadNames.xmlFile(meantBy: name) == right)
  }

  @Test(
    arguments: [
      ("localizable.strings", "Localizable.strings"), ("Localisable.strings", "Localizable.strings"),
      ("Localizable.string", "Localizable.strings"), ("Localizable.strings.orig", "Localizable.strings"),
      ("Localizable.stringdict", "Localizable.stringsdict"),
      ("Localizable.xcstring", "Localizable.xcstrings"),
      ("Localizable.strings", nil), ("Localizable.stringsdict", nil), ("Localized.strings", nil),
      ("Localizable.swift", nil), ("InfoPlist.strings", nil), ("Push.strings", nil),
    ] as [(String, String?)])
  func tablesMean(_ name: String, _ right: String?) {
    #expect(UnreadNames.table(meantBy: name) == right)
  }
}
