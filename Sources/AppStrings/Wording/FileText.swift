internal import JSON

/// What the readers of an app's files say is wrong, and advise: sentences, and the clauses in them. `{1}` is
/// the first value.
///
/// The console has each in its other languages (`API/Console/Web/reading`), and a test compares them.
package enum FileText: String, FindingTemplate {
  // Any file.
  case together = "{1} {2}"
  case inPlace = "{1}: {2}"
  case ofEntry = "\"{1}\": {2}"
  case joined = "{1}; {2}"
  case isFolder = "it is a folder"
  case isNoFile = "it is not a regular file"
  case isPipe = "it is not a regular file, but a pipe or a device"
  case isTooLarge = "it is larger than {1} bytes"
  case isAbsent = "no such file"
  case isForbidden = "permission denied"
  case systemFindsNone = "No such file or directory"
  case systemForbids = "Permission denied"
  case fileUnreadable = "The file cannot be read: {1}."
  case folderUnreadable = "The folder cannot be read: {1}."
  case mergeConflict =
    "a merge conflict is left in the file: this line is its marker <<<<<<<; keep one side, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>"
  case restUnread = "What follows was not read."
  case moreInFile = "This file has more problems than are reported."
  case moreInLanguage = "This language has more problems than are reported."
  case renameTo = "Rename it to {1}."
  case renameOrRemove = "Rename it to {1}, or remove it."

  // Languages.
  case noLanguage = "\"{1}\" is not a language in ISO 639-1."
  case noLanguageBut = "\"{1}\" is not a language in ISO 639-1; the language is \"{2}\"."
  case noRegion = "\"{1}\" is not a region in ISO 3166-1."
  case noRegionUK = "\"UK\" is not a region in ISO 3166-1; the United Kingdom is \"GB\"."
  case serbianInLatin =
    "The texts are in Latin letters, but phones take {1} for Cyrillic. A phone set to Serbian in Latin letters does not look here; it looks for {2}."

  // Android: folders.
  case resourceFolderUnreadable = "The Android resource folder cannot be read: {1}."
  case noStringsInModules = "The application and the modules that it depends on have no strings."
  case noValuesFolder = "The folder has no subfolder \"values\"."
  case didYouMean = "Did you mean {1}?"
  case unreadFolder = "No build reads the folder {1}, because its name is not that of a values folder."
  case folderInValues = "No build reads folders in a values folder."
  case moveFilesInto = "Move its files into {1}."
  case noXMLFile = "No build reads the file, because its name does not end in .xml."
  case invalidFolder =
    "{1} is not a valid name of a values folder. aapt2 rejects it, so its strings were not read."
  case renameProbably = "Rename it, probably to {1}."
  case noPhoneLooks = "No phone looks for strings in {1}."
  case undOnAndroid = "\"und\" stands for no language, so no phone looks for strings in {1}."
  case currentCodeOnAndroid = "Phones call the language \"{1}\", so none looks for strings in {2}."
  case olderCodeOnAndroid =
    "Android calls the language \"{1}\", so phones look for its strings in values-{1}, not in this folder."
  case inShadow =
    "The folder is in the shadow of {1}, which has the same locale and wins for every key that both have."
  case inShadowByScript =
    "The folder is in the shadow of {1}: phones assume the script {2} for {3}, so they take both for one locale, and the folder without a script wins for every key that both have."
  case noRegularFile = "This is not a regular file."
  case tooManyFiles = "The folder has more than {1} files. This one and the rest were not read."
  case filesTooLarge = "The files are larger than {1} bytes together. This one was not read."

  // Android: entries.
  case definedBefore = "{1} is already defined at {2}, which phones use."
  case definedTwice = "{1} is already defined at {2}, in the same folder, so the build fails."
  case noDefaultProduct =
    "The string has a variant for the product \"{1}\" but none for \"default\", which aapt2 rejects."
  case otherRoot = "The root element of a values file is not <resources>. Rename it."
  case nameless = "<{1}> has no name."
  case invalidName = "\"{1}\" is not a valid resource name, so the build fails: {2}."
  case isKeyword = "it is a keyword of Java"
  case beginsWithDigit = "it begins with a digit"
  case hasSpace = "it has a space"
  case hasCharacter = "\"{1}\" is not allowed in it"
  case unknownQuantity = "The quantity \"{1}\" is not one of zero, one, two, few, many and other."
  case quantityTwice = "The quantity {1} occurs twice. Remove one of them."
  case noBoolean = "{1} is neither true nor false. Use one of them."
  case onlyItems = "<{1}> contains <{2}>, but may contain only <item>."
  case nestedSection = "An <xliff:g> is inside another, which aapt2 rejects. Remove one of them."
  case otherType = "{1} refers to a resource of type {2}, not to a string."
  case attributeReference =
    "A text that begins with \"?\" refers to an attribute. For a literal question mark, write \\?."
  case apostrophe = "aapt2 rejects an apostrophe outside quotes (\"unescaped apostrophe\"). Write \\'."
  case unicodeEscape = "\\u is not followed by four hexadecimal digits. Write all four."
  case halfOfPair =
    "A half of a surrogate pair (\\uD800 to \\uDFFF) without the other half shows as a question mark. Write the character itself."
  case nullCharacter = "\\u0000 puts a NUL character into the text. Remove it."
  case circle =
    "@string/{1} refers to itself, or leads through more than {2} references, where phones give up."
  case moreReferences = "There are more references without a text than are reported."

  // XML.
  case noUTF8Here = "The file is not UTF-8 here. Save it as UTF-8."
  case controlCharacter = "A control character ({1}) is not allowed in XML. Remove it."
  case endOfSection = "\"]]>\" is not allowed in text. Write \"]]&gt;\"."
  case hyphensInComment = "\"--\" is not allowed in a comment. Remove a hyphen."
  case ampersand = "\"&\" does not begin a reference. Write \"&amp;\"."
  case noCharacter = "{1} is no character that XML allows."
  case undeclared = "{1} is not declared."
  case external = "{1} is an external entity, which is not read."
  case undeclaredPrefix = "The prefix {1}: is not declared (xmlns:{1})."
  case xmlTooLarge = "The file is too large to read."
  case tooDeep = "Elements nest deeper than {1}."
  case tooManyAttributes = "<{1}> has more than {2} attributes."
  case tooManyEntities = "The file declares more than {1} entities."
  case entitiesTooDeep = "Entities nest deeper than {1}, or refer to each other in a circle."
  case entitiesTooLarge = "Entities expand to more than {1} bytes."
  case unclosed = "<{1}> is never closed."
  case noElement = "The file has no element."
  case otherEnd = "The end tag does not match <{1}>."
  case noStart = "The end tag does not match any open element."
  case notWellFormed = "This is not well-formed XML. In text, write < as &lt; and & as &amp;."
  case unclosedTag = "A tag, comment or declaration is never closed."
  case unclosedSection = "A CDATA section is never closed."
  case attributeTwice = "An attribute occurs twice in one tag."
  case afterRoot = "Only comments may follow the root element."
  case undeclaredEntity = "An entity is not declared."
  case entityOfItself = "An entity refers to itself."
  case entityAcross = "An entity begins an element that it does not end, or ends one."
  case badReference = "A character reference names no character that XML allows."
  case externalInAttribute = "An attribute refers to an external entity, which XML does not allow."
  case lateDeclaration = "The XML declaration is not at the start of the file. Remove what precedes it."
  case unknownEncoding =
    "aapt2 does not read the encoding that the file declares. Save the file as UTF-8."
  case otherEncoding = "The file is not in the encoding that it declares. Save it as UTF-8."
  case expat = "expat cannot read the file here: {1}."

  // Projects.
  case notGradle = "{1} is no Gradle project: it has neither settings.gradle(.kts) nor build.gradle(.kts)."
  case noModule = "The project has no module {1}."
  case applicationsAre = "Its applications are {1}."
  case noApplicationModule =
    "No module of this Gradle project has the plug-in com.android.application, as far as its build files tell. Name the module, as in {project: {1}, module: app}, or the app's res folders."
  case severalModules =
    "This Gradle project has several applications: {1}. Choose one, as in {project: {2}, module: {3}}."
  case noVariant = "{1} has no variant {2}. Its release variants are {3}."
  case composeResources =
    "{1} holds Compose Multiplatform's own resources, which are packed as files: no phone looks there for the texts of push messages. Put those texts into the application's res folder."
  case projectUnreadable = "{1} cannot be read."
  case damagedProject = "{1} is no Xcode project: {2}."
  case noRootObject = "{1} is no Xcode project: it has no rootObject."
  case noProject = "{1} is no Xcode project: it is no .xcodeproj, and holds none."
  case tuist =
    "Its Project.swift is a program, which is not run: generate the project first, or name the folder with the app's .lproj folders."
  case noTarget = "The project has no iOS application target {1}. Its application targets: {2}."
  case noApplicationTarget =
    "The project has no target that is an iOS application. Name the folder with the app's .lproj folders."
  case severalTargets =
    "There are several iOS applications: {1}. Choose one, as in {project: {2}, target: {3}}."
  case none = "none"
  case noSpecification = "{1} is no XcodeGen specification."
  case damagedSpecification = "{1} is no XcodeGen specification: {2}."
  case noSuchApplication =
    "{1} has no such iOS application. Its iOS applications: {2}. Choose one, as in {project: {3}, target: NAME}."
  case severalApplications =
    "{1} has several iOS applications. Its iOS applications: {2}. Choose one, as in {project: {3}, target: NAME}."

  // Built apps.
  case notAnApp =
    "The file is neither an app nor the JSON that `dragoman strings` prints. Name a source folder or one of those."
  case noAndroidApp = "The file holds no Android app: no resources.arsc, no base/resources.pb and no APKs."
  case noIOSApp = "The file holds no iOS app: no Payload/NAME.app."
  case foreignPackage =
    "The strings belong to the package {1}, but push messages look in the package of the application's id, {2}. Phones drop every line. Let the build give both the same name."
  case noTableInBundle =
    "The app has no Localizable.strings in its own bundle, the only table in which push messages look. iPhones show raw keys."
}

extension FileReadError {
  /// `reason` as a value of a text. The system's other words are in English.
  package var text: FindingText { text(reason) }

  /// `shortReason` as a value of a text.
  package var shortText: FindingText { text(shortReason) }

  private func text(_ reason: String) -> FindingText {
    if case .tooLarge(let bytesMax) = code { return FindingText(.isTooLarge, [bytesMax]) }
    return FileText(rawValue: reason).map { FindingText($0) } ?? FindingText(english: reason)
  }
}
