// German: what each rule of `dragoman check` finds, and what to do. The English of the first is above both.
export default {
  // No language has the key.
  MissingKey: ["Keine Sprache hat den Schlüssel.", "Ergänze den Text in der App oder berichtige den Schlüssel im Katalog."],
  // Android's values/ lacks the key that translations have.
  MissingDefaultKey: ["In Androids `values/` fehlt der Schlüssel, den Übersetzungen haben.", "Ergänze den Text in `values/`."],
  // Some languages lack the key.
  MissingTranslation: ["Manchen Sprachen fehlt der Schlüssel.", "Übersetze den Text."],
  // An iPhone whose app does not know the key yet shows the raw key.
  MissingFallback: ["Ein iPhone, dessen App den Schlüssel noch nicht kennt, zeigt den rohen Schlüssel.", "Gib der Vorlage einen Ersatztext (`fallback`)."],
  // A numeric placeholder gets a string: Android crashes, and iOS shows garbage.
  StringFormatMatches: ["Ein Platzhalter für Zahlen bekommt einen Text: Android stürzt ab, iOS zeigt Unsinn.", "Schreibe den Platzhalter als `%1$s` (Android) oder `%1$@` (iPhone)."],
  // A stray % or an unknown placeholder in a text that is formatted.
  StringFormatInvalid: ["Ein einzelnes `%` oder ein unbekannter Platzhalter in einem Text, der formatiert wird.", "Schreibe `%%` für ein Prozentzeichen oder berichtige den Platzhalter."],
  // The text has more placeholders than the template sends args.
  StringFormatCount: ["Der Text hat mehr Platzhalter, als die Vorlage Args sendet.", "Sende die fehlenden Args oder entferne den Platzhalter."],
  // The text has placeholders, but the template sends no args, so it is shown unformatted.
  PercentWithoutArgs: ["Der Text hat Platzhalter, aber die Vorlage sendet keine Args; deshalb wird er unformatiert gezeigt.", "Nenne die Parameter in `args` oder entferne den Platzhalter."],
  // A loc key cannot look up a plural or an array.
  PluralKey: ["Ein Loc-Key kann weder einen Plural noch ein Array nachschlagen.", "Gib jeder Form einen eigenen Schlüssel und wähle sie mit `variants` oder `plural`."],
  // The app lacks the key for a class of numbers of a plural.
  PluralClassMissing: ["Der App fehlt der Schlüssel für eine Klasse von Zahlen eines Plurals.", "Führe `dragoman plurals --write` aus und veröffentliche die App."],
  // No text for push messages can be made of a plural.
  PluralUnreadable: ["Aus einem Plural lässt sich kein Text für Pushnachrichten machen.", "Berichtige den Plural und führe dann `dragoman plurals --write` aus."],
  // plurals.languages lacks a language of the app.
  PluralLanguage: ["In `plurals.languages` fehlt eine Sprache der App.", "Ergänze sie dort und führe dann `dragoman plurals --write` aus."],
  // A native string is missing or differs from its source: an ARB, JSON, XML or PO file.
  NativeDrift: ["Ein nativer Text fehlt oder weicht von seiner Quelle ab: einer ARB-, JSON-, XML- oder PO-Datei.", "Führe `dragoman strings --write` aus und veröffentliche die App."],
  // No native string can be made of a text.
  SourceUnsupported: ["Aus einem Text lässt sich kein nativer Text machen.", "Schreibe den Text in der Quelle so um, dass ihn beide Plattformen zeigen können."],
  // The placeholder belongs to the other platform.
  ForeignPlaceholder: ["Der Platzhalter gehört zur anderen Plattform.", "Schreibe `%1$s` für Android und `%1$@` für das iPhone."],
  // A literal text wins over the loc key on Android.
  LiteralOverridesLocKey: ["Auf Android hat ein fester Text Vorrang vor dem Loc-Key.", "Entferne den festen Text oder den Schlüssel."],
  // A message has a text of one language for all readers.
  LiteralText: ["Eine Nachricht hat einen Text in einer Sprache für alle Leser.", "Sende einen Loc-Key, den alle Sprachen der App haben."],
  // The text is empty: Android drops the line, and iOS shows the raw key.
  EmptyValue: ["Der Text ist leer: Android lässt die Zeile weg, iOS zeigt den rohen Schlüssel.", "Übersetze ihn oder entferne den Eintrag."],
  // The text is its own key.
  TextIsKey: ["Der Text ist sein eigener Schlüssel.", "Schreibe den Text, der gemeint ist."],
  // A placeholder broke in translation: a space, a letter of another script.
  PlaceholderDamaged: ["Ein Platzhalter ging beim Übersetzen kaputt: ein Leerzeichen, ein Buchstabe einer anderen Schrift.", "Schreibe den Platzhalter so wie im Ausgangstext."],
  // The key cannot be the name of an Android resource.
  KeySyntax: ["Der Schlüssel kann nicht Name einer Android-Ressource sein.", "Benenne ihn mit Buchstaben, Ziffern und `_`; am Anfang steht ein Buchstabe oder `_`."],
  // The Android build refuses the name of a resource.
  InvalidResourceName: ["Der Android-Build lehnt den Namen einer Ressource ab.", "Benenne sie um, in der App und im Katalog."],
  // The key is not in the app's Localizable table, where push notifications look.
  WrongTable: ["Der Schlüssel ist nicht in der Tabelle `Localizable` der App, in der Pushnachrichten suchen.", "Verschiebe ihn in `Localizable` der Haupt-App."],
  // The key is only in a module or bundle that does not reach the app.
  WrongBundle: ["Der Schlüssel ist nur in einem Modul oder Bundle, das nicht in die App gelangt.", "Verschiebe den Text in die App oder in ein Modul, von dem sie abhängt."],
  // The platform's tools reject a resource file.
  UnparsableStrings: ["Die Werkzeuge der Plattform lehnen eine Ressourcendatei ab.", "Berichtige die Datei an der genannten Stelle."],
  // The name of a folder is not a locale in the platform's notation.
  LocaleFolder: ["Der Name eines Ordners ist keine Sprache in der Schreibweise der Plattform.", "Benenne den Ordner um."],
  // The limits of the params allow a message beyond FCM's 4,096 bytes.
  MessageTooLarge: ["Die Grenzen der Parameter erlauben eine Nachricht über FCMs 4.096 Bytes.", "Senke `max_length` der Parameter oder sende weniger Daten."],
  // A release that the template may be sent to lacks the key.
  KeyNotInRelease: ["Einer Version, an die die Vorlage gesendet werden darf, fehlt der Schlüssel.", "Sende die Vorlage erst ab der Version, die sie zeigen kann: setze `since`."],
  // The build of an app gave the key an obfuscated name.
  KeyRenamed: ["Der Build einer App hat dem Schlüssel einen verschleierten Namen gegeben.", "Nimm den Schlüssel von der Verschleierung aus."],
  // The fallback has a %, and iOS formats it with the args.
  FallbackPercent: ["Der Ersatztext enthält ein `%`, und iOS formatiert ihn mit den Args.", "Schreibe den Ersatztext ohne `%`."],
  // The text mixes placeholders with and without positions, or on Android has several without.
  MixedPositional: ["Der Text mischt Platzhalter mit und ohne Position oder hat auf Android mehrere ohne.", "Gib jedem Platzhalter eine Position: `%1$s`, `%2$s`."],
  // The source text has positions, but a translation does not.
  ArgOrderChanged: ["Der Ausgangstext hat Positionen, eine Übersetzung nicht.", "Gib jedem Platzhalter die Position, die er im Ausgangstext hat."],
  // A translation drops an arg that the source text shows.
  LostArg: ["Eine Übersetzung lässt einen Wert weg, den der Ausgangstext zeigt.", "Ergänze den Platzhalter in der Übersetzung."],
  // Users see a tag, an entity, an escape or a placeholder of another system.
  VisibleMarkup: ["Benutzer sehen ein Tag, eine Entität, ein Escape oder einen Platzhalter eines anderen Systems.", "Schreibe den Text so, wie er zu lesen sein soll."],
  // A translation is a copy of the source text.
  Untranslated: ["Eine Übersetzung ist eine Kopie des Ausgangstexts.", "Übersetze sie oder markiere den Text als nicht zu übersetzen."],
  // The text is in the letters of another language.
  WrongScript: ["Der Text ist in den Buchstaben einer anderen Sprache.", "Übersetze ihn oder verschiebe ihn in den Ordner seiner Sprache."],
  // A plural form for several numbers does not show the number.
  NumberMissing: ["Eine Pluralform, die für mehrere Zahlen steht, zeigt die Zahl nicht.", "Ergänze den Platzhalter der Zahl in der Form."],
  // No phone looks for a folder's strings.
  UnreachableLocale: ["Kein Telefon sucht nach den Texten eines Ordners.", "Gib dem Ordner den Namen, nach dem Telefone suchen, oder entferne ihn."],
  // A folder or file looks like strings, but no build reads it.
  UnreadFile: ["Ein Ordner oder eine Datei sieht nach Texten aus, aber kein Build liest sie.", "Benenne sie um oder entferne sie."],
  // Nothing keeps Android's resource shrinker from removing the key.
  ResourceShrinker: ["Nichts hindert Androids Resource Shrinker daran, den Schlüssel zu entfernen.", "Führe `dragoman check --write-keep` aus."],
  // A key occurs twice, and only one of its texts is used.
  DuplicateKey: ["Ein Schlüssel kommt zweimal vor, und nur einer seiner Texte wird verwendet.", "Behalte einen davon."],
  // No text, no variant and no field uses a param.
  UnusedParam: ["Kein Text, keine Variante und kein Feld verwendet einen Parameter.", "Verwende ihn in `args` oder in einem Feld, oder entferne ihn."],
  // No translation shows an arg.
  UnusedArg: ["Keine Übersetzung zeigt einen Wert.", "Entferne ihn aus `args` oder ergänze seinen Platzhalter in den Texten."],
  // An arg can change the order of a right-to-left text.
  BidiUnsafe: ["Ein Wert kann die Reihenfolge eines Textes ändern, der von rechts nach links läuft.", "Schreibe `bidi: isolate` beim Parameter oder in `defaults`."],
  // A translation is marked as new, stale or in need of review.
  StaleTranslation: ["Eine Übersetzung ist als neu, veraltet oder zu prüfen markiert.", "Lass sie prüfen und markiere sie dann als übersetzt."],
  // The text for a class of numbers is not what the plural says.
  PluralTextDiffers: ["Der Text für eine Klasse von Zahlen ist nicht der des Plurals.", "Führe `dragoman plurals --write` aus oder berichtige den Plural."],
  // No phone uses a plural form.
  UnusedQuantity: ["Kein Telefon verwendet eine Pluralform.", "Entferne sie, oder gib dem Fall eine eigene Variante."],
  // resources.locales and the languages of the app's strings differ.
  ShippedLocales: ["`resources.locales` und die Sprachen der Texte in der App stimmen nicht überein.", "Gleiche die Liste und die Texte einander an."],
  // A banner cuts the text.
  TextTooLong: ["Ein Banner schneidet den Text ab.", "Stelle das Wichtige an den Anfang oder kürze den Text."],
  // Users who choose a language in the app may read the phone's.
  DeviceLanguage: ["Wer in der App eine Sprache gewählt hat, liest vielleicht die des Telefons.", "Sende `recipient.locale`, und lass Benutzer ein Topic ihrer Sprache abonnieren."],
  // The readers of a topic by language get the fallback, or nothing.
  TopicFallback: ["Die Leser eines Topics nach Sprache bekommen den Ersatztext oder nichts.", "Berichtige die Texte, die die Vorschau als Ersatztext zeigt."],
};
