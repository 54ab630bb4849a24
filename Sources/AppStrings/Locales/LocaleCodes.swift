/// The two-letter codes that a folder's locale can have; no phone uses any other.
///
/// Languages of three letters are not checked, because ISO 639-3 assigns nearly half of all combinations.
enum LocaleCodes {
  /// A sentence about an invalid language, which no phone has; nil if it is valid.
  static func languageComplaint(about locale: LocaleTag) -> FindingText? {
    guard locale.language.utf8.count == 2, !languages.contains(locale.language) else { return nil }
    let meant = languagesByRegion[locale.language].map { [locale.language, $0] }
    return meant.map { FindingText(.noLanguageBut, $0) } ?? FindingText(.noLanguage, [locale.language])
  }

  /// A sentence about an invalid region; nil if it is valid. Phones of other regions use such a folder.
  static func regionComplaint(about locale: LocaleTag) -> FindingText? {
    if let region = locale.region, region.utf8.count == 2, !regions.contains(region), !isPrivate(region) {
      return region == "UK" ? FindingText(.noRegionUK) : FindingText(.noRegion, [region])
    }
    return nil
  }

  /// The language as phones call it, where a folder can also name it by another code: `nb` for `no` and
  /// `nob`, `zh` for `cmn`, `sr-Latn` for `sh`.
  static func current(_ language: String) -> LocaleTag {
    LanguageAliases.all[language] ?? LocaleTag(language: language)
  }

  /// Whether Android takes two languages for one (AOSP ResourceTypes.cpp, langsAreEquivalent).
  static func areAlikeOnAndroid(_ first: LocaleTag, _ second: LocaleTag) -> Bool {
    Set([first.language, second.language]) == ["fil", "tl"]
  }

  /// The codes by which Android looks for three languages.
  static let olderCodes = ["he": "iw", "id": "in", "yi": "ji"]

  /// The codes that ISO 3166-1 leaves to its users: translators use them for constructed languages
  /// (`tlh-AA`), Android for pseudo-locales (`en-XA`, `ar-XB`, `en-XC`).
  private static func isPrivate(_ region: String) -> Bool {
    region == "AA" || region == "ZZ" || region.utf8.first == UInt8(ascii: "X")
      || ("QM"..."QZ").contains(region)
  }

  /// ISO 639-1, including withdrawn codes that are still in use.
  private static let languages = codes(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz
    ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik
    in io is it iu iw ja ji jv jw ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg
    mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro
    ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty
    ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """)

  /// ISO 3166-1, including reserved and withdrawn codes.
  private static let regions = codes(
    """
    AC AD AE AF AG AI AL AM AN AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT
    BU BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CP CQ CR CS CU CV CW CX CY CZ DD DE DG DJ DK DM DO DZ
    EA EC EE EG EH ER ES ET EU EZ FI FJ FK FM FO FR FX GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW
    GY HK HM HN HR HT HU IC ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB
    LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE
    NF NG NI NL NO NP NR NT NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA QO RE RO RS RU RW SA SB SC
    SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SU SV SX SY SZ TA TC TD TF TG TH TJ TK TL TM TN TO TP TR TT TV
    TW TZ UA UG UM UN US UY UZ VA VC VE VG VI VN VU WF WS YE YT YU ZA ZM ZR ZW
    """)

  /// Country codes that are mistaken for the codes of their languages.
  private static let languagesByRegion = [
    "al": "sq", "by": "be", "cn": "zh", "cz": "cs", "dk": "da", "ge": "ka", "gr": "el", "ir": "fa",
    "jp": "ja",
    "rs": "sr", "ua": "uk", "us": "en", "vn": "vi",
  ]

  private static func codes(_ text: String) -> Set<String> {
    Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
  }
}
