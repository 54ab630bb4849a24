/// The tree of parent locales that Android follows from a region to wider ones: `es-AR`, `es-419`, `es`.
///
/// CLDR's parentLocales as in AOSP's libs/androidfw/LocaleDataTables.cpp, which puts Arabic with ASCII digits
/// under northern Africa. The parent of a region that is not listed is its language.
enum ParentLocales {
  /// The regions of a locale and its ancestors, nearest first; the last is empty and stands for the language
  /// alone.
  static func regions(language: String, script: String?, region: String) -> [String] {
    var regions: [String] = []
    var next = region
    // The tables contain no cycle; the bound guards against mistakes in future additions.
    while !next.isEmpty, regions.count < depthMax {
      regions.append(next)
      next = parent(language: language, script: script, region: next)
    }
    return regions + [""]
  }

  private static let depthMax = 8

  private static func parent(language: String, script: String?, region: String) -> String {
    script.flatMap { parents["\(language)-\($0)"]?[region] } ?? ""
  }

  private static let parents: [String: [String: String]] = [
    "ar-Arab": byChild(["015": "AE DZ EH LY MA TN"]),
    "en-Latn": byChild([
      "001": """
      150 AG AI AU BB BM BS BW BZ CC CK CM CX CY DG DM ER FJ FK FM GB GD GG GH GI GM GY HK IE IL IM IN IO JE \
      JM KE KI KN KY LC LR LS MG MO MS MT MU MV MW MY NA NF NG NR NU NZ PG PK PN PW RW SB SC SD SG SH SL SS \
      SX SZ TC TK TO TT TV TZ UG VC VG VU WS ZA ZM ZW
      """,
      "150": "AT BE CH DE DK FI NL SE SI",
    ]),
    "es-Latn": byChild(["419": "AR BO BR BZ CL CO CR CU DO EC GT HN MX NI PA PE PR PY SV US UY VE"]),
    "pt-Latn": byChild(["PT": "AO CH CV GQ GW LU MO MZ ST TL"]),
    "zh-Hant": byChild(["HK": "MO"]),
  ]

  private static func byChild(_ byParent: [String: String]) -> [String: String] {
    var parents: [String: String] = [:]
    for (parent, children) in byParent {
      for child in children.split(separator: " ") { parents[String(child)] = parent }
    }
    return parents
  }
}
