internal import AppStrings

/// What findings advise. `{1}` is the first value, and code stands between backticks.
///
/// The console has each in its other languages (`API/Console/Web/details`), and a test compares them.
enum AdviceText: String, FindingTemplate {
  // Keys.
  case nameOfLetters = "Use a name of letters, digits, _ and . that begins with a letter or _."
  case moveToLocalizable = "Move it to Localizable of the main app."
  case moveIntoStrings = "Move it into \"strings\"."
  case listFoldersOrCorrectKey =
    "List the folders of resources that count, also those of {1}, or correct the key in the catalog."
  case addString = "Add the string to {1}, or correct the key in the catalog."
  case addToSources = "Add the text to the sources, or correct the key in the catalog."
  case addToModule = "Add the string to a module that the application depends on, or add the dependency."
  case addToTarget = "Add the key to the Localizable table of the app's own target."
  case keyForEachForm = "Give each form its own key (…_one, …_other), and choose it with variants."
  case review = "Have it reviewed, then mark it as translated."
  case translateOrRemove = "Translate it, or remove the entry."
  case shorten = "Shorten it."
  case addToValues = "Add the string to values/."
  case writeKeep = "Run `dragoman check --write-keep`, which names all strings of the catalog in res/raw/{1}."
  case addToFlavors = "Add the string to src/main, or to the flavors that lack it."
  case addDefaultToFlavors = "Add the string to values/ of src/main, or of the flavors that lack it."
  case addLocalizable = "Add Localizable.strings with all texts of the language."
  case translate = "Translate it."
  case translatePlural = "Translate it, then run `dragoman plurals --write`."
  case giveText = "Give this language the text too; shouldTranslate: false leaves it out there."

  // Placeholders.
  case removeArg = "Remove it from args, or add a placeholder for it to the texts."
  case singlePercent = "Write a single %."
  case nameParams = "Name the params in args, or remove the placeholder."
  case writeWithPosition = "Write {1}, with the arg's position."
  case writeWithPositionAfterPercent = "Write {1}, with the arg's position after the %."
  case write = "Write {1}."
  case percentSign = "Write %% for a percent sign."
  case asciiPercent = "Write the placeholder with an ASCII %."
  case sendArgs = "Send the missing args, or remove the placeholder."
  case positionForAll = "Give every placeholder a position."
  case addPlaceholder = "Add {1} to the translation."
  case isolateParam = "Write bidi: isolate for the param, or in defaults."
  case isolateParams = "Write bidi: isolate for these params, or in defaults."

  // Wording.
  case removeTag = "Remove the tag. Notifications show no markup."
  case removeTagOnAndroid =
    "Remove the tag. Notifications show no markup; Android leaves out tags that are written as such, without &lt; and CDATA."
  case writeNoBreakOnAndroid = "Write \\u00A0, a no-break space."
  case writeNoBreak = "Write a no-break space itself."
  case writeOnce = "Write {1} once."
  case writeCharacter = "Write the character itself."
  case oneBackslash = "Write it with one backslash: {1}."
  case oneBackslashOrCharacter = "Write it with one backslash, or the character itself."
  case sendAsArg = "Send the value as an arg, and write {1}."
  case writeForReaders = "Write the text as users should read it."
  case writeForReadersInCatalog =
    "Write the text as users should read it. In a string catalog, give the key a value in its source language."
  case translateOrMove = "Translate it, or move it to the folder of its language."
  case translateOrMark = "Translate it, or mark what is the same in all languages as not translatable."
  case translateOrMarkAll = "Translate them, or mark what is the same in all languages as not translatable."
  case firstOrShorter = "Put what matters first, or shorten the text."
  case sendLocKey = "Send a loc key that all languages of the app have."

  // Files.
  case nameInstead = "Name {1}, which has strings."
  case correctRelativePath = "Correct the path, which is relative to the catalog."
  case correctPath = "Correct the path."
  case correctFile = "Correct the file."
  case correctEntry = "Correct the entry, so that users see what is meant."
  case keepOne = "Keep one of them."
  case removeOne = "Remove one of them."
  case renameResource =
    "Rename it to letters, digits, _ and . that begin with a letter or _, here and in the catalog."
  case renameFolder = "Rename the folder."
  case renameOrRemoveFolder = "Rename the folder to the one that phones look for, or remove it."
  case moveFile = "Move the file into the .lproj folder of its language, or leave it out of the app."
  case rename = "Rename it."

  // Templates.
  case lowerLengths = "Lower the max_length of the params, or send less data beside the keys."
  case useParam = "Use it in args or as {$param: {1}}, or remove it from params."
  case addFallback = "Add fallback: {{1}: …}."
  case fallbackWithoutPercent = "Write the fallback without %."
  case removeLiteral =
    "Remove the literal text or the key. Put a text for older app versions on iPhones in fallback."
  case sendLocale = "Send recipient.locale, and let users of topics subscribe to one by language (topics)."
  case correctTopicTexts = "Correct the texts that `dragoman preview {1} --topic {2}` shows as fallback."
  case addTopicFallback =
    "Add a fallback, and correct the texts that `dragoman preview {1} --topic {2}` shows."
  case addTranslations = "Add its translations to the app, or remove it from resources.locales."
  case addToLocales = "Add it to resources.locales once the app ships it."

  // Plurals and sources.
  case addNumber = "Add the placeholder of the number to the form."
  case addNumberOrVariant =
    "Add the placeholder of the number to the form, or give 0 a text of its own with a variant."
  case variantForZero =
    "For a text of its own, add a string for it and a variant of the slot: {when: {{1}: 0}, android: KEY}."
  case writeOrRemoveForm = "Write its text, or remove the form."
  case writePluralsBeforeUse = "Run `dragoman plurals --write`, and release the app before you use the key."
  case writePluralsOrCorrect = "Run `dragoman plurals --write`, or correct the plural."
  case doSoInPlural = "Do so in the plural, then run `dragoman plurals --write`."
  case addToPluralLanguages = "Add {1} to plurals.languages, then run `dragoman plurals --write`."
  case sameArgsOrTwoPlurals = "Give both the same args in the same order, or use two plurals."
  case addPlural = "Add the plural to the app, or correct its name in the catalog."
  case addOther = "Add the form \"other\", then run `dragoman plurals --write`."
  case correctPlural = "Correct the plural, then run `dragoman plurals --write`."
  case splitPlural =
    "Split it into two texts with one number each, such as the title and the body, then run `dragoman plurals --write`."
  case writeStrings = "Run `dragoman strings --write`, and release the app."
  case addToSpecification =
    "Add {1} under sources: of the target in {2}, and run `xcodegen generate`."
  case addInXcode =
    "In Xcode, choose File > Add Files, select the .lproj folders and the app's target."
  case addPod =
    "Or add `pod 'PushStrings', :path => 'PushStrings'` to {1}, for a pod that has the .lproj folders as its resources: see \"CocoaPods\" in docs/sources.md."
  case addConfigPlugin =
    "If `npx expo prebuild` makes the project, name a config plugin that adds them under plugins in {1}: see \"Expo\" in docs/sources.md."

  // Releases.
  case correctReleasePath = "Correct the path in releases, or the file."
  case sinceNextRelease =
    "Correct the strings, and send the template only from the next release on: set since to its version."
  case sinceSafeRelease = "Send the template only from the release on that can show it: since: {{1}: {2}}."
  case exemptKey =
    "Exempt the key from obfuscation (string/{1}#no_collapse for aapt2), and send the template only from the release on that has it."
}
