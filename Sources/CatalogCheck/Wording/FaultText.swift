internal import AppStrings

/// What findings say is wrong: sentences, and the clauses in them. `{1}` is the first value.
///
/// The console has each in its other languages (`API/Console/Web/details`), and a test compares them.
enum FaultText: String, FindingTemplate {
  // Clauses.
  case rawKey = "the raw key"
  case fallback = "the fallback"
  case noText = "no text"
  case textOfTable = "the text of {1}"
  case theKey = "the key"
  case thePlural = "the plural"
  case aPlural = "a plural"
  case anArray = "an array"
  case title
  case subtitle
  case body
  case oneLine = "one line"
  case severalLines = "{1} lines"
  case flavor = "the flavor {1}"
  case flavors = "the flavors {1}"
  case andMore = "{1} and {2} more"
  case androidDrops = "Android drops the line"
  case androidDropsOrDefault = "Android drops the line, or shows the text of values/"
  case everyIPhoneShows = "every iPhone shows {1}"
  case iPhonesShow = "iPhones show {1}"
  case seenAsItIs = "users see it as it is"
  case seenInPart = "users see a part of it"
  case appCrashes = "the app crashes"
  case buildOfApp = "The build of the app"
  case buildOfRelease = "The build of release {1}"

  // Keys.
  case keyIsNumber =
    "Android reads the number {1} as a resource id, and the app crashes (android.content.res.Resources$NotFoundException)."
  case keyIsNoName = "\"{1}\" cannot be the name of an Android string, so Android drops the line."
  case keyInOtherTable =
    "The key is in {1}, but push notifications look only in the app's Localizable table, so {2}."
  case keyMisplaced = "{1}, so {2}."
  case noReadableString =
    "No string that can be read has this key: {1}, unless {2} has it, which another build makes."
  case noReadableStringSimilar =
    "No string that can be read has this key: {1}, unless {2} has it, which another build makes; did you mean {3}?"
  case noKey = "No language has this key: {1}."
  case noKeySimilar = "No language has this key: {1}; did you mean {2}?"
  case noSourceText = "No source has a text for {1} that can be a native string: {2}."
  case noSourceTextSimilar =
    "No source has a text for {1} that can be a native string: {2}; did you mean {3}?"
  case noSourceKey = "No source has the key {1}."
  case noSourceKeySimilar = "No source has the key {1}; did you mean {2}?"
  case keyElsewhere = "The key is only {1}. Push messages look only in the app itself, so {2}."
  case notAString = "The key is {1}, which a loc key cannot look up, so Android drops the line."
  case notResolved = "The key is {1}, which push notifications do not resolve, so iPhones show {2}."
  case markedAs = "The translation is marked as {1}, but users see it."
  case isNull = "The string is @null, which Android shows as @0."
  case isEmptyReference =
    "The string is @empty, which has no text, so the app crashes (android.content.res.Resources$NotFoundException)."
  case emptyOnAndroid = "The text is empty, so Android drops the line."
  case emptyOnIOS = "The text is empty, so iPhones show the raw key."
  case tooLongForAPK =
    "The text has more than 32,767 bytes, so the build (aapt2 link) replaces it by {1}, which users see."
  case defaultNotShipped =
    "The app has the string only for some languages or devices. On all other phones, the app crashes (android.content.res.Resources$NotFoundException)."
  case defaultForSomePhones =
    "values/ lacks the key. Only folders for some phones have it, such as that of {1}; on all other phones, the app crashes (android.content.res.Resources$NotFoundException)."
  case noDefault =
    "values/ lacks the key, so the build (aapt2 link) leaves the string out of the app in every language, and Android drops the line."
  case notKept =
    "No tools:keep and no code found beside the resources names the string, so the resource shrinker may remove it from release builds, and Android then drops the line."
  case onlyFlavorHasText = "Only the flavor {1} has this text."
  case onlyFlavorsHaveText = "Only the flavors {1} have this text."
  case onlyFromLevel = "Only phones with API level {1} or later show this text."
  case onlyMatching = "Only phones that match {1} show this text."
  case onlyFlavorHasKey = "Only {1} of the app's flavors has this key: in {2}, Android drops the line."
  case onlyFlavorsHaveKey = "Only {1} of the app's flavors have this key: in {2}, Android drops the line."
  case noDefaultInFlavors =
    "In {1}, values/ lacks the key that other folders have, so the build (aapt2 link) leaves the string out of the app, and Android drops the line."
  case languageLacks = "The language lacks {1}, so its users see {2}."
  case languageLacksInFlavors = "The language lacks {1} in {2}, so its users see {3}."
  case iOSLooksInOneLanguage = "iOS does not look for a key in another language."

  // Placeholders.
  case unusedArg = "No translation shows {1}, which the template sends as an arg."
  case unusedArgs = "No translation shows {1}, which the template sends as args."
  case unformatted = "The template sends no args, so the text is not formatted, and users see {1} unchanged."
  case foreignOnAndroid =
    "{1} is not a placeholder on Android, so the app crashes (java.util.UnknownFormatConversionException)."
  case foreignOnIOS = "{1} is not a placeholder on iOS, which drops it or shows a part of it."
  case showsHash = "{1} shows \"true\" or a hash code for a string, never the arg."
  case getsString = "{1} gets a string, like every placeholder in a push message, so the app crashes ({2})."
  case invalidPlaceholder = "Android reads \"{1}\" as an invalid placeholder, so the app crashes ({2})."
  case pluralVariable =
    "{1} is a plural's variable, which push notifications do not fill in, so users see a part of it."
  case positionZero = "{1} names no arg because positions begin at 1, so users see <null>."
  case onlyStrings = "Push notifications support only %@ with a string, so users see a part of {1}."
  case cutsCharacter =
    "\"{1}\" is not a placeholder, and iOS cannot read the text without the first byte of the character after the %, so iPhones show the raw key."
  case strayOnAndroid =
    "\"{1}\" is not a placeholder, so the app crashes (java.util.UnknownFormatConversionException)."
  case strayOnIOS = "\"{1}\" is not a placeholder, so iOS drops it."
  case fullWidthPercent = "The full-width ％ does not begin a placeholder, so users see it unchanged."
  case tooFewArgsOnAndroid =
    "The text has placeholders for {1} args, but the template sends {2}, so Android drops the line (java.util.MissingFormatArgumentException)."
  case tooFewArgsOnIOS =
    "The text has placeholders for {1} args, but the template sends {2}, so users see <null>."
  case repeatsNothing =
    "{1} repeats the arg of the placeholder before it, but there is none, so Android drops the line (java.util.MissingFormatArgumentException)."
  case someWithoutPosition =
    "{1} has no position but others do. Placeholders without a position count separately, from the first arg."
  case severalWithoutPosition =
    "Several placeholders have no position, so a translation cannot change their order. aapt2 alone rejects such a text without formatted=\"false\"; the Gradle plugin builds it."
  case lostArg = "The source text shows arg {1}, but this translation does not."
  case lostArgs = "The source text shows args {1}, but this translation does not."
  case orderChanged =
    "The source text has placeholders with positions and this translation does not, so it shows the args in the order in which they are sent."
  case damaged = "\"{1}\" is a damaged placeholder, so {2}."
  case canReorder =
    "{1} can change the order of a right-to-left text ({2}): beside another arg, a digit, punctuation or the line's edge, a value in another script moves them."

  // Wording.
  case visibleMarkup = "Users see {1} as it is."
  case textIsKey = "The text is its own key, so users see {1}."
  case otherScript = "The text is in {1} letters, but the language is written in {2} ones."
  case untranslated = "The text is the source text, so users read another language."
  case untranslatedTexts = "The texts of {1} are the source texts, so users read another language."
  case longerOnAndroid =
    "Android shows {1} of a {2} until the user expands the notification, and the text is longer."
  case longerOnAndroidWithoutArgs =
    "Android shows {1} of a {2} until the user expands the notification, and the text is longer, even without its args."
  case longerOnIOS =
    "iPhones show {1} of a {2} until the user expands the notification, and the text is longer."
  case longerOnIOSWithoutArgs =
    "iPhones show {1} of a {2} until the user expands the notification, and the text is longer, even without its args."
  case literalText = "The {1} is a literal text, so readers of every language see the same."

  // Templates.
  case tooLarge =
    "With the longest values that its params allow, the message has {1} bytes. FCM accepts {2}, so such a request is rejected."
  case tooLargeInLanguage =
    "With the longest values that its params allow, the message has {1} bytes, with the texts that the gateway makes in {2}. FCM accepts {3}, so such a request is rejected."
  case unusedParam = "No text, no variant and no field uses the param {1}, so its value reaches no device."
  case noFallback =
    "An iPhone whose app does not have the key yet shows the raw key, because there is no fallback for the {1}."
  case fallbackPercent =
    "The fallback for the {1} has a %. iPhones format it with the args, so the % and the text after it may vanish."
  case literalWins =
    "{1} reaches Android together with the loc key. The literal text wins there, so every user sees it untranslated."
  case deviceLanguage =
    "Users choose a language in the app (language: app). Where a request has no recipient.locale, the message has loc keys, and each phone looks these up in its own language."
  case topicRejected =
    "The template has neither a text nor a fallback in {1}, so that the gateway rejects a send to the topic {2}."
  case topicFallback =
    "Readers of the topic {1} get the fallback in {2}, where the gateway cannot make a text from the app's strings."
  case localeWithoutStrings = "resources.locales lists {1}, but the app has no strings in this language."
  case localeNotListed =
    "resources.locales lacks the language, so it counts as not shipped, and its texts are not checked."
  case pathIsAbsent = "{1} names {2}, which does not exist."
  case pathHasFault = "{1}: {2}"

  // Plurals and sources.
  case numberMissing =
    "The form \"{1}\" does not show the number, but stands for several in this language, such as {2} and {3}."
  case unusedZero = "No Android phone uses the form \"zero\" in this language; for 0 it takes \"{1}\"."
  case emptyForm = "The form \"{1}\" of the plural is empty, so \"other\" stands in for it."
  case noClass = "No language has the key, which is for a class of numbers of the plural: {1}."
  case languageLacksClass = "The language lacks the key, which is for a class of numbers of the plural: {1}."
  case differsFromPlural = "The text is not what the plural says now for this class of numbers."
  case languageNotListed =
    "The app has the language {1}, but plurals.languages lacks it, so some numbers get the wrong plural form there."
  case otherArgs =
    "The template {1} uses the same plural with other args, but each class of numbers has only one text."
  case sameForAllNumbers = "The entry of this name is no plural: its text is the same for all numbers."
  case noPluralsElement = "No language has a <plurals> of this name, so there is no text for any number."
  case noPluralsElementSimilar =
    "No language has a <plurals> of this name, so there is no text for any number; did you mean {1}?"
  case noPlural = "No language has a plural of this name, so there is no text for any number."
  case noPluralSimilar =
    "No language has a plural of this name, so there is no text for any number; did you mean {1}?"
  case pluralLacksOther = "The plural has no form \"other\", which every language needs."
  case otherFormsSuffice = "Its other forms are enough for push messages."
  case variableLacksOther = "The variable {1} has no form \"other\", which every language needs."
  case notAPlural = "The entry is not a plural."
  case undefinedVariable = "Its format uses the variable {1}, which is not defined."
  case impossiblePosition = "The position of the variable {1} is impossible."
  case twoNumbers = "The text depends on two numbers, but the key of a push message can name only one."
  case noTextFromIt = "No text for push messages can be made of it."
  case otherTextThanSource = "{1} has another text than the source, and phones show it."
  case notInTarget = "The app's target does not have {1}, so phones do not find the text."
  case languageLacksNative = "The language's native strings lack the text, so phones do not find it."
  case noNative = "No language has the text as a native string, so phones do not find it."

  // Releases.
  case inRelease = "In release {1}:"
  case releaseIsUnreadable = "The strings of release {1} cannot be read."
  case releaseLacksKeyOnAndroid = "Release {1} lacks the key in every language: Android drops the line."
  case releaseLacksKeyOnIOS =
    "Release {1} lacks the key in every language: iPhones show the raw key or the fallback."
  case isOnly = "It is only {1}."
  case isIn = "It is in {1}."
  case releaseLacksDefaultAndCrashes =
    "Release {1} has the key without a default: phones in other languages crash."
  case releaseLacksDefault = "Release {1} has the key without a default: Android drops the line."
  case releaseLacksKeyIn =
    "Release {1} lacks the key in {2}: iPhones in these languages show the raw key or the fallback."
  case renamedTo =
    "{1} has the text under the obfuscated name {2}, and no push message finds it by its key: Android drops the line."
  case renamed =
    "{1} replaced the names of its strings, none of which is {2} now. No push message finds it by its key: Android drops the line."
}
