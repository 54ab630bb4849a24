// Hebrew: what each rule of `dragoman check` finds, and what to do. The English of the first is above both.
export default {
  // No language has the key.
  MissingKey: ["לאף שפה אין המפתח.", "הוסיפו את הטקסט לאפליקציה, או תקנו את המפתח בקטלוג."],
  // Android's values/ lacks the key that translations have.
  MissingDefaultKey: ["ב־`values/` של Android חסר המפתח שיש לתרגומים.", "הוסיפו את הטקסט ל־`values/`."],
  // Some languages lack the key.
  MissingTranslation: ["לכמה שפות חסר המפתח.", "תרגמו את הטקסט."],
  // An iPhone whose app does not know the key yet shows the raw key.
  MissingFallback: ["iPhone שהאפליקציה שלו עוד לא מכירה את המפתח מציג מפתח גולמי.", "תנו לתבנית טקסט חלופי (`fallback`)."],
  // A numeric placeholder gets a string: Android crashes, and iOS shows garbage.
  StringFormatMatches: ["מציין מקום מספרי מקבל טקסט: Android קורס, ו־iOS מציג שיבוש.", "כתבו `%1$s` (Android) או `%1$@` (iPhone)."],
  // A stray % or an unknown placeholder in a text that is formatted.
  StringFormatInvalid: ["`%` בודד או מציין מקום לא מוכר בטקסט שעובר עיצוב.", "כתבו `%%` לסימן אחוז, או תקנו את מציין המקום."],
  // The text has more placeholders than the template sends args.
  StringFormatCount: ["בטקסט יש יותר מצייני מקום מהערכים שהתבנית שולחת.", "שלחו את הערכים החסרים, או הסירו את מציין המקום."],
  // The text has placeholders, but the template sends no args, so it is shown unformatted.
  PercentWithoutArgs: ["בטקסט יש מצייני מקום, אבל התבנית לא שולחת ערכים, ולכן הוא מוצג בלי עיצוב.", "ציינו את הפרמטרים ב־`args`, או הסירו את מציין המקום."],
  // A loc key cannot look up a plural or an array.
  PluralKey: ["מפתח לוקליזציה לא יכול למצוא צורת רבים או מערך.", "תנו לכל צורה מפתח משלה, ובחרו אותה עם `variants` או `plural`."],
  // The app lacks the key for a class of numbers of a plural.
  PluralClassMissing: ["באפליקציה חסר המפתח של קבוצת מספרים של צורת רבים.", "הריצו `dragoman plurals --write` והוציאו גרסה של האפליקציה."],
  // No text for push messages can be made of a plural.
  PluralUnreadable: ["אי אפשר ליצור טקסט להתראות מצורת רבים.", "תקנו את צורת הרבים, ואז הריצו `dragoman plurals --write`."],
  // plurals.languages lacks a language of the app.
  PluralLanguage: ["ב־`plurals.languages` חסרה שפה של האפליקציה.", "הוסיפו אותה, ואז הריצו `dragoman plurals --write`."],
  // A native string is missing or differs from its source: an ARB, JSON, XML or PO file.
  NativeDrift: ["טקסט מקורי של הפלטפורמה חסר או שונה ממקורו: קובץ ARB, JSON, XML או PO.", "הריצו `dragoman strings --write` והוציאו גרסה של האפליקציה."],
  // No native string can be made of a text.
  SourceUnsupported: ["אי אפשר ליצור מטקסט טקסט של הפלטפורמה.", "נסחו את הטקסט במקור כך ששתי הפלטפורמות יוכלו להציג אותו."],
  // The placeholder belongs to the other platform.
  ForeignPlaceholder: ["מציין המקום שייך לפלטפורמה האחרת.", "כתבו `%1$s` ל־Android ו־`%1$@` ל־iPhone."],
  // A literal text wins over the loc key on Android.
  LiteralOverridesLocKey: ["ב־Android טקסט קבוע גובר על מפתח הלוקליזציה.", "הסירו את הטקסט הקבוע או את המפתח."],
  // A message has a text of one language for all readers.
  LiteralText: ["בהודעה יש טקסט בשפה אחת לכל הקוראים.", "שלחו מפתח שיש לכל שפות האפליקציה."],
  // The text is empty: Android drops the line, and iOS shows the raw key.
  EmptyValue: ["הטקסט ריק: Android משמיט את השורה, ו־iOS מציג מפתח גולמי.", "תרגמו אותו, או הסירו את הרשומה."],
  // The text is its own key.
  TextIsKey: ["הטקסט זהה למפתח שלו.", "כתבו את הטקסט הרצוי."],
  // A placeholder broke in translation: a space, a letter of another script.
  PlaceholderDamaged: ["מציין מקום התקלקל בתרגום: רווח, אות מכתב אחר.", "כתבו את מציין המקום כמו בטקסט המקור."],
  // The key cannot be the name of an Android resource.
  KeySyntax: ["המפתח לא יכול להיות שם של משאב Android.", "השתמשו באותיות, בספרות וב־`_`, והתחילו באות או ב־`_`."],
  // The Android build refuses the name of a resource.
  InvalidResourceName: ["בניית Android דוחה שם של משאב.", "שנו את השם, באפליקציה ובקטלוג."],
  // The key is not in the app's Localizable table, where push notifications look.
  WrongTable: ["המפתח לא נמצא בטבלה `Localizable` של האפליקציה, שבה התראות מחפשות.", "העבירו אותו ל־`Localizable` של האפליקציה הראשית."],
  // The key is only in a module or bundle that does not reach the app.
  WrongBundle: ["המפתח נמצא רק במודול או בחבילה שלא מגיעים לאפליקציה.", "העבירו את הטקסט לאפליקציה או למודול שהיא תלויה בו."],
  // The platform's tools reject a resource file.
  UnparsableStrings: ["הכלים של הפלטפורמה דוחים קובץ משאבים.", "תקנו את הקובץ במקום המצוין."],
  // The name of a folder is not a locale in the platform's notation.
  LocaleFolder: ["שם של תיקייה אינו שפה בכתיב של הפלטפורמה.", "שנו את שם התיקייה."],
  // The limits of the params allow a message beyond FCM's 4,096 bytes.
  MessageTooLarge: ["גבולות הפרמטרים מאפשרים הודעה גדולה מ־4,096 הבתים של FCM.", "הקטינו את `max_length` של הפרמטרים, או שלחו פחות נתונים."],
  // A release that the template may be sent to lacks the key.
  KeyNotInRelease: ["בגרסה שמותר לשלוח אליה את התבנית חסר המפתח.", "שלחו את התבנית רק מהגרסה שיכולה להציג אותה: קבעו `since`."],
  // The build of an app gave the key an obfuscated name.
  KeyRenamed: ["הבנייה של אפליקציה נתנה למפתח שם מעורפל.", "החריגו את המפתח מהערפול."],
  // The fallback has a %, and iOS formats it with the args.
  FallbackPercent: ["בטקסט החלופי יש `%`, ו־iOS מעצב אותו עם הערכים.", "כתבו את הטקסט החלופי בלי `%`."],
  // The text mixes placeholders with and without positions, or on Android has several without.
  MixedPositional: ["הטקסט מערבב מצייני מקום עם מיקום ובלעדיו, או שב־Android יש כמה בלי מיקום.", "תנו לכל מציין מקום מיקום: `%1$s`, `%2$s`."],
  // The source text has positions, but a translation does not.
  ArgOrderChanged: ["בטקסט המקור יש מיקומים, ובתרגום אין.", "תנו לכל מציין מקום את המיקום שיש לו בטקסט המקור."],
  // A translation drops an arg that the source text shows.
  LostArg: ["תרגום משמיט ערך שטקסט המקור מציג.", "הוסיפו את מציין המקום לתרגום."],
  // Users see a tag, an entity, an escape or a placeholder of another system.
  VisibleMarkup: ["משתמשים רואים תגית, ישות, תו מילוט או מציין מקום של מערכת אחרת.", "כתבו את הטקסט כפי שיש לקרוא אותו."],
  // A translation is a copy of the source text.
  Untranslated: ["תרגום הוא העתק של טקסט המקור.", "תרגמו אותו, או סמנו את הטקסט כלא לתרגום."],
  // The text is in the letters of another language.
  WrongScript: ["הטקסט כתוב באותיות של שפה אחרת.", "תרגמו אותו, או העבירו אותו לתיקייה של שפתו."],
  // A plural form for several numbers does not show the number.
  NumberMissing: ["צורת רבים שמשמשת לכמה מספרים לא מציגה את המספר.", "הוסיפו לצורה את מציין המקום של המספר."],
  // No phone looks for a folder's strings.
  UnreachableLocale: ["אף טלפון לא מחפש את הטקסטים של תיקייה.", "תנו לתיקייה את השם שטלפונים מחפשים, או הסירו אותה."],
  // A folder or file looks like strings, but no build reads it.
  UnreadFile: ["תיקייה או קובץ נראים כמו טקסטים, אבל שום בנייה לא קוראת אותם.", "שנו את שמם, או הסירו אותם."],
  // Nothing keeps Android's resource shrinker from removing the key.
  ResourceShrinker: ["דבר לא מונע ממצמצם המשאבים של Android להסיר את המפתח.", "הריצו `dragoman check --write-keep`."],
  // A key occurs twice, and only one of its texts is used.
  DuplicateKey: ["מפתח מופיע פעמיים, ורק אחד מהטקסטים שלו בשימוש.", "השאירו אחד מהם."],
  // No text, no variant and no field uses a param.
  UnusedParam: ["שום טקסט, וריאנט או שדה לא משתמש בפרמטר.", "השתמשו בו ב־`args` או בשדה, או הסירו אותו."],
  // No translation shows an arg.
  UnusedArg: ["שום תרגום לא מציג ערך.", "הסירו אותו מ־`args`, או הוסיפו את מציין המקום שלו לטקסטים."],
  // An arg can change the order of a right-to-left text.
  BidiUnsafe: ["ערך יכול לשנות את הסדר של טקסט מימין לשמאל.", "כתבו `bidi: isolate` בפרמטר או ב־`defaults`."],
  // A translation is marked as new, stale or in need of review.
  StaleTranslation: ["תרגום מסומן כחדש, כמיושן או כדורש בדיקה.", "דאגו לבדיקה, ואז סמנו אותו כמתורגם."],
  // The text for a class of numbers is not what the plural says.
  PluralTextDiffers: ["הטקסט של קבוצת מספרים שונה ממה שצורת הרבים אומרת.", "הריצו `dragoman plurals --write`, או תקנו את צורת הרבים."],
  // No phone uses a plural form.
  UnusedQuantity: ["שום טלפון לא משתמש בצורת רבים.", "הסירו אותה, או תנו למקרה וריאנט משלו."],
  // resources.locales and the languages of the app's strings differ.
  ShippedLocales: ["`resources.locales` ושפות הטקסטים של האפליקציה אינן זהות.", "התאימו את הרשימה ואת הטקסטים זה לזה."],
  // A banner cuts the text.
  TextTooLong: ["באנר חותך את הטקסט.", "פתחו בדבר החשוב, או קצרו את הטקסט."],
  // Users who choose a language in the app may read the phone's.
  DeviceLanguage: ["מי שבחר שפה באפליקציה עלול לקרוא את שפת הטלפון.", "שלחו `recipient.locale`, ואפשרו למשתמשים להירשם לנושא בשפתם."],
  // The readers of a topic by language get the fallback, or nothing.
  TopicFallback: ["קוראים של נושא לפי שפה מקבלים את הטקסט החלופי, או כלום.", "תקנו את הטקסטים שהתצוגה המקדימה מראה כטקסט חלופי."],
};
