package import AppStrings

/// What the readers of sources, and the writers of native strings, say is wrong, and advise. `{1}` is the
/// first value.
///
/// The console has each in its other languages (`API/Console/Web/reading`), and a test compares them.
package enum SourceText: String, FindingTemplate {
  // Files.
  case noTexts = "There are no texts here: {1}."
  case patternWithoutLocale = "the pattern has no {1}"
  case noFileOfName = "no file has such a name"
  case noFileOfKind = "it has no {1} file"
  case hasNoValuesFolder = "it has no values folder"
  case correctSourcePath = "Correct the path in resources.sources, which is relative to the catalog."
  case untoldLanguage = "Neither the file's name nor its content tells its language."
  case nameWithTag = "Name it as NAME_fr{1}, with the language's tag."
  case sameLanguage = "The file is for the language of {1}, and was not read."
  case keepOneFile = "Keep one of them."
  case isUTF16 = "The file is UTF-16. Save it as UTF-8."
  case noObject = "The file has no JSON object with texts."
  case invalidJSON = "The file is not valid JSON: {1} (column {2})."
  case keyBeforeInFile = "The file has the key before, too. The last text counts."
  case keyBeforeInLanguage = "The language has the key before, too. The last text counts."
  case yaml = "{1}."
  case noUTF8 = "The file is not UTF-8. Convert it: msgconv --to-code=UTF-8."
  case noKeyword = "\"{1}\" is no keyword of a .po file."
  case noQuotes = "A text must be in double quotes, with its own quotes escaped."
  case messageBefore = "The file has the message before, too. The first one counts."
  case noPluralRule = "Plural-Forms is no rule of gettext."

  // Messages.
  case tooLong = "The text is longer than 64 KiB."
  case shortenText = "Shorten it."
  case correctMessage = "Correct the message."
  case formsTooDeep = "The message has more than {1} forms inside each other."
  case closingBrace = "A closing brace has no opening one."
  case openingBrace = "An opening brace has no closing one."
  case singleApostrophe =
    "An apostrophe has no second one, with which it would quote what is between (use-escaping)."
  case doubleApostrophe = "Double the apostrophe."
  case braceWithoutName = "An opening brace is not followed by the name of an arg."
  case nothingAfterName = "{{1} is followed neither by a comma nor by a closing brace."
  case unsupportedType = "{{1}, {2}…} is not supported: only plural and select choose among texts."
  case writeArgWithFormat = "Write {{1}}, and give the param {1} a format in the catalog."
  case writeArg = "Write {{1}}."
  case noCommaAfterType = "{{1}, {2} is not followed by a comma."
  case noCaseOther = "{{1}, {2}…} has no case other."
  case caseWithoutName = "A case of {{1}, …} has no name, or no closing brace."
  case noPluralCase =
    "{1} is no case of a plural: Flutter knows =0, =1, =2, zero, one, two, few, many and other."
  case useOneOfThese = "Use one of these."
  case caseWithoutText = "The case {1} of {{2}, …} has no text in braces."
  case rareRule =
    "The Plural-Forms of the file tell numbers apart that CLDR's rules do not, so no key can stand for a form."
  case usualRule = "Use the Plural-Forms that gettext has for the language."
  case hasFormat = "{1} has a format, which a phone cannot apply."
  case writeWithFormat = "Write {1}, and give the param a format in the catalog."
  case insertsText = "$t(…) inserts another text, which a phone cannot do."
  case writeOut = "Write that text out in this one."

  // Native strings.
  case argOutOfRange = "The text shows arg {1}, but the slot sends {2}."
  case addArg = "Add it to the slot's args, or correct the placeholder."
  case valueNotListed =
    "The text depends on the value of {1}, of which the catalog does not list the few that it can have."
  case giveEnum = "Give the param {1} an enum with the values."
  case unknownArg = "The text names {1}, which is none of the slot's args."
  case unknownArgSimilar = "The text names {1}, which is none of the slot's args; did you mean {2}?"
  case correctArgName = "Correct the name, or add it to the slot's args in the catalog."
  case noIntegerParam = "The text depends on the number {1}, which is no integer param."
  case giveInteger = "Give the param the type integer."
  case unknownNumber = "The text depends on a number, but the slot does not say which."
  case addPluralToSlot =
    "Add plural: PARAM to the slot, with the integer param that is the number."
  case dependsOnTwo =
    "The text depends on two numbers, {1} and {2}, but a key can stand for only one."
  case dependOnOne = "Write the text so that it depends on one number."
}

extension FindingText {
  package init(_ text: SourceText, _ values: [any FindingValue] = []) { self.init(template: text, values) }
}
