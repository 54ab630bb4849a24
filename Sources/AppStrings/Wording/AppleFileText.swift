/// What the readers of Apple's files say is wrong, as clauses. `{1}` is the first value.
///
/// The console has each in its other languages (`API/Console/Web/reading`), and a test compares them.
package enum AppleFileText: String, FindingTemplate {
  // Folders and tables.
  case notALocale =
    "\"{1}\" is not a locale on iOS, so no device finds it; use a name such as \"fr\" or \"pt-BR\""
  case androidNotation =
    "\"{1}\" is not a locale on iOS, so no device finds it; that is Android's notation, iOS has \"{2}\""
  case noDeviceUses = "No device uses such a language"
  case noDeviceFinds = "No device finds the folder"
  case undOnIOS = "\"und\" stands for no language, so no device finds \"{1}\""
  case currentCodeOnIOS = "devices call the language \"{1}\", so none finds \"{2}\""
  case withdrawnCode = "\"{1}\" is a withdrawn language code; name it \"{2}\", as devices do"
  case folderNotRead = "the folder cannot be read: {1}"
  case kernelFolder =
    "not searched: the kernel makes this folder up, and no app's strings are in it"
  case noTables =
    "no string resources: looked for X.lproj/Localizable.strings, X.lproj/Localizable.stringsdict or Localizable.xcstrings in this folder or below, in {1} folders"
  case otherTables = "there are {1} other tables, which push notifications never read"
  case nameFolderAbove = "name the folder that holds the .lproj folders, not one of them"
  case otherTableName =
    "No iPhone finds push messages' texts in this file, because its name is not {1}."
  case namedFileAbsent = "The target {1} names this file, but it does not exist"
  case globalFile =
    "the file is in no .lproj folder, so iPhones in every language find it before those of {1}, whose texts nobody sees"
  case keyInFile = "the key \"{1}\" of \"{2}\" is also in {3}, which wins; remove one of them"
  case keyInLine = "the key \"{1}\" is also in line {2}, and this later one wins; remove one of them"
  case keyTwice = "the key \"{1}\" is also in this file, and this later one wins; remove one of them"
  case memberTwice = "\"{1}\" occurs twice in one object, and this later one wins; remove one of them"
  case rawKeys = "iOS shows raw keys for the whole file"
  case noStrings = "none of its strings exist in the app"

  // Entries.
  case noTextValue = "the value of \"{1}\" is {2} instead of a text"
  case noVariation = "its variation for \"{1}\" is {2} instead of a text"
  case noPhoneVariation = "it has no variation for \"iphone\" or \"other\""
  case badWidth = "its width \"{1}\" is not a number, or its text is not a string"
  case noWidth = "it has no text for any width"
  case noFormatKey = "it has no NSStringLocalizedFormatKey, so iOS finds no text"
  case undefinedInFormat = "its format uses \"{1}\", which is not defined"
  case otherRuleType = "the NSStringFormatSpecTypeKey of \"{1}\" is not NSStringPluralRuleType"
  case lacksOther = "\"{1}\" has no form \"other\", which every language needs"
  case substitutionLacksOther =
    "its substitution \"{1}\" has no form \"other\", which every language needs"
  case itsPluralLacksOther = "its plural has no form \"other\", which every language needs"
  case unusedSubstitutions = "it has substitutions but no text that uses them"
  case undefinedSubstitution = "its text uses the substitution \"{1}\", which is not defined"
  case misspeltMember =
    "Xcode ignores \"{1}\"; the member with the texts is \"localizations\""
  case misplacedText =
    "Xcode ignores a text that is not in \"stringUnit\": {\"state\": …, \"value\": …}"
  case notJSON = "the file is not JSON: {1}"
  case tooManyTranslations = "it has too many translations"
  case noStringsObject = "it has no object \"strings\""

  // Kinds of values.
  case stringValue = "a string"
  case arrayValue = "an array"
  case dictionaryValue = "a dictionary"
  case dataValue = "data"
  case dateValue = "a date"
  case numberValue = "a number"
  case booleanValue = "a boolean"
  case setValue = "a set"
  case nullValue = "null"
  case referenceValue = "an archiver's reference"

  // Property lists.
  case emptyFile = "the file is empty"
  case damagedList = "the binary property list is damaged or too large"
  case noDictionary = "it has {1} where a dictionary is expected"
  case unmarkedUTF16 =
    "the file is UTF-16 without a byte order mark, which iOS does not read reliably; save it as UTF-8"
  case noUTF32 = "the file is not valid UTF-32; save it as UTF-8"
  case noUnicode =
    "the file is neither valid UTF-8 nor UTF-16 with a byte order mark; save it as UTF-8"
  case endsInDeclaration = "the file ends within its XML declaration"
  case unsupportedEncoding =
    "the XML declaration names an unsupported encoding; save the file as UTF-8"
  case stopsReading =
    "iOS stops reading here, because {1} cannot begin a key; all entries below are lost"
  case endOfFile = "the end of the file"
  case contentAfterEnd = "there is content after the end of the list"
  case nestTooDeep = "dictionaries and arrays nest too deep"
  case endsBeforeValue = "the file ends where a value is expected"
  case beginsNoText = "{1} cannot begin a text"
  case straightMarks = "put texts between straight quotation marks (\")"
  case expected = "\"{1}\" is expected here"
  case endsAfterKey = "the file ends after the key \"{1}\", which has no text"
  case noEqualsSign = "\"=\" or \";\" is expected after a key, not {1}"
  case noHexadecimal = "the data has characters other than hexadecimal digits"
  case oddDigits = "the data has an odd number of digits"
  case dataOpen = "the data does not end"
  case tooManyValues = "the list has too many values"
  case quotedOpen = "a quoted string does not end"
  case lineWithoutMark = "the text has no closing quotation mark (\") in its line"
  case markInText = "a quotation mark within the text ends it; write \\\" for it"
  case noSemicolon = "\";\" is missing at the end of the entry"
  case lowerCaseEscape =
    "\"\\{1}\" shows \"{1}\"; .strings files have the escape \\U instead, or write the letter itself"
  case halfOfPairByU =
    "\\U gives half of a surrogate pair, which is not a character; write the character itself"

  // Property lists in XML.
  case elementExpected = "an element is expected here"
  case tagExpected = "a tag is expected here"
  case keyExpected = "a <key> is expected here"
  case endExpected = "</{1}> is expected here"
  case keyWithoutValue = "a <key> has no value"
  case noListElement = "<{1}> is not an element of a property list"
  case emptyElement = "an empty <{1}> is not a value"
  case tagOpen = "a tag does not end"
  case tagNameless = "a tag has no name"
  case commentOpen = "a comment does not end"
  case instructionOpen = "a processing instruction does not end"
  case typeOpen = "the document type does not end"
  case typeWithDeclarations = "a document type with declarations is not supported"
  case emptyList = "<plist> is empty"
  case severalValues = "<plist> has more than one value"
  case textNoUTF8 = "a text is not valid UTF-8"
  case noSection = "<! in a text does not begin a CDATA section"
  case sectionOpen = "a CDATA section does not end"
  case unknownEntity = "an unknown entity; property lists have only lt, gt, amp, apos and quot"
  case referenceNoCharacter = "a character reference does not name a character"
  case referenceNoNumber = "a character reference is not a number"
  case noBase64 = "<data> has characters other than Base64"
  case noDate = "<date> does not contain a date"
  case noDigits = "<integer> has characters other than digits"
  case integerTooLarge = "<integer> is too large"
  case emptyInteger = "<integer> is empty"
  case noReal = "<real> does not contain a number"
}
