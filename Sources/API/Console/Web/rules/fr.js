// French: what each rule of `dragoman check` finds, and what to do. The English of the first is above both.
export default {
  // No language has the key.
  MissingKey: ["Aucune langue n’a la clé.", "Ajoutez le texte à l’application, ou corrigez la clé dans le catalogue."],
  // Android's values/ lacks the key that translations have.
  MissingDefaultKey: ["Le dossier `values/` d’Android n’a pas la clé que des traductions ont.", "Ajoutez le texte à `values/`."],
  // Some languages lack the key.
  MissingTranslation: ["Certaines langues n’ont pas la clé.", "Traduisez le texte."],
  // An iPhone whose app does not know the key yet shows the raw key.
  MissingFallback: ["Un iPhone dont l’application ne connaît pas encore la clé affiche la clé brute.", "Donnez un texte de remplacement (`fallback`) au modèle."],
  // A numeric placeholder gets a string: Android crashes, and iOS shows garbage.
  StringFormatMatches: ["Un paramètre numérique reçoit du texte : Android plante, et iOS affiche n’importe quoi.", "Écrivez `%1$s` (Android) ou `%1$@` (iPhone)."],
  // A stray % or an unknown placeholder in a text that is formatted.
  StringFormatInvalid: ["Un `%` isolé ou un paramètre inconnu dans un texte qui est formaté.", "Écrivez `%%` pour un signe pour cent, ou corrigez le paramètre."],
  // The text has more placeholders than the template sends args.
  StringFormatCount: ["Le texte attend plus de valeurs que le modèle n’en envoie.", "Envoyez les valeurs qui manquent, ou retirez le paramètre du texte."],
  // The text has placeholders, but the template sends no args, so it is shown unformatted.
  PercentWithoutArgs: ["Le texte a des paramètres, mais le modèle n’envoie aucune valeur : il s’affiche sans être formaté.", "Nommez les paramètres dans `args`, ou retirez-les du texte."],
  // A loc key cannot look up a plural or an array.
  PluralKey: ["Une clé de localisation ne peut trouver ni un pluriel ni un tableau.", "Donnez à chaque forme sa propre clé, et choisissez-la avec `variants` ou `plural`."],
  // The app lacks the key for a class of numbers of a plural.
  PluralClassMissing: ["L’application n’a pas la clé d’une classe de nombres d’un pluriel.", "Lancez `dragoman plurals --write` et publiez l’application."],
  // No text for push messages can be made of a plural.
  PluralUnreadable: ["Aucun texte de notification ne peut être tiré d’un pluriel.", "Corrigez le pluriel, puis lancez `dragoman plurals --write`."],
  // plurals.languages lacks a language of the app.
  PluralLanguage: ["Il manque une langue de l’application dans `plurals.languages`.", "Ajoutez-la, puis lancez `dragoman plurals --write`."],
  // A native string is missing or differs from its source: an ARB, JSON, XML or PO file.
  NativeDrift: ["Un texte natif manque ou diffère de sa source : un fichier ARB, JSON, XML ou PO.", "Lancez `dragoman strings --write` et publiez l’application."],
  // No native string can be made of a text.
  SourceUnsupported: ["Aucun texte natif ne peut être tiré d’un texte.", "Récrivez le texte dans la source pour que les deux plateformes puissent l’afficher."],
  // The placeholder belongs to the other platform.
  ForeignPlaceholder: ["Le paramètre est celui de l’autre plateforme.", "Écrivez `%1$s` pour Android et `%1$@` pour l’iPhone."],
  // A literal text wins over the loc key on Android.
  LiteralOverridesLocKey: ["Sur Android, un texte fixe l’emporte sur la clé de localisation.", "Retirez le texte fixe ou la clé."],
  // A message has a text of one language for all readers.
  LiteralText: ["Un message a un texte dans une seule langue pour tous les lecteurs.", "Envoyez une clé que toutes les langues de l’application ont."],
  // The text is empty: Android drops the line, and iOS shows the raw key.
  EmptyValue: ["Le texte est vide : Android supprime la ligne, et iOS affiche la clé brute.", "Traduisez-le, ou retirez l’entrée."],
  // The text is its own key.
  TextIsKey: ["Le texte est sa propre clé.", "Écrivez le texte voulu."],
  // A placeholder broke in translation: a space, a letter of another script.
  PlaceholderDamaged: ["Un paramètre s’est abîmé à la traduction : une espace, une lettre d’une autre écriture.", "Écrivez le paramètre comme dans le texte source."],
  // The key cannot be the name of an Android resource.
  KeySyntax: ["La clé ne peut pas être le nom d’une ressource Android.", "Nommez-la avec des lettres, des chiffres et `_`, en commençant par une lettre ou `_`."],
  // The Android build refuses the name of a resource.
  InvalidResourceName: ["La compilation d’Android refuse le nom d’une ressource.", "Renommez-la, dans l’application et dans le catalogue."],
  // The key is not in the app's Localizable table, where push notifications look.
  WrongTable: ["La clé n’est pas dans la table `Localizable` de l’application, où les notifications cherchent.", "Déplacez-la dans `Localizable` de l’application principale."],
  // The key is only in a module or bundle that does not reach the app.
  WrongBundle: ["La clé n’est que dans un module ou un bundle qui n’entre pas dans l’application.", "Déplacez le texte dans l’application ou dans un module dont elle dépend."],
  // The platform's tools reject a resource file.
  UnparsableStrings: ["Les outils de la plateforme rejettent un fichier de ressources.", "Corrigez le fichier à l’endroit indiqué."],
  // The name of a folder is not a locale in the platform's notation.
  LocaleFolder: ["Le nom d’un dossier n’est pas une langue dans la notation de la plateforme.", "Renommez le dossier."],
  // The limits of the params allow a message beyond FCM's 4,096 bytes.
  MessageTooLarge: ["Les limites des paramètres permettent un message de plus de 4 096 octets, le maximum de FCM.", "Réduisez `max_length` des paramètres, ou envoyez moins de données."],
  // A release that the template may be sent to lacks the key.
  KeyNotInRelease: ["Une version à laquelle le modèle peut être envoyé n’a pas la clé.", "N’envoyez le modèle qu’à partir de la version qui peut l’afficher : réglez `since`."],
  // The build of an app gave the key an obfuscated name.
  KeyRenamed: ["La compilation d’une application a donné un nom obscurci à la clé.", "Excluez la clé de l’obscurcissement."],
  // The fallback has a %, and iOS formats it with the args.
  FallbackPercent: ["Le texte de remplacement contient un `%`, et iOS le formate avec les valeurs.", "Écrivez le texte de remplacement sans `%`."],
  // The text mixes placeholders with and without positions, or on Android has several without.
  MixedPositional: ["Le texte mêle des paramètres avec et sans position, ou en a plusieurs sans position sur Android.", "Donnez une position à chaque paramètre : `%1$s`, `%2$s`."],
  // The source text has positions, but a translation does not.
  ArgOrderChanged: ["Le texte source a des positions, mais pas une traduction.", "Donnez à chaque paramètre la position qu’il a dans le texte source."],
  // A translation drops an arg that the source text shows.
  LostArg: ["Une traduction omet une valeur que le texte source affiche.", "Ajoutez le paramètre à la traduction."],
  // Users see a tag, an entity, an escape or a placeholder of another system.
  VisibleMarkup: ["Les utilisateurs voient une balise, une entité, un échappement ou un paramètre d’un autre système.", "Écrivez le texte tel qu’il doit être lu."],
  // A translation is a copy of the source text.
  Untranslated: ["Une traduction est une copie du texte source.", "Traduisez-la, ou marquez le texte comme à ne pas traduire."],
  // The text is in the letters of another language.
  WrongScript: ["Le texte est dans l’écriture d’une autre langue.", "Traduisez-le, ou déplacez-le dans le dossier de sa langue."],
  // A plural form for several numbers does not show the number.
  NumberMissing: ["Une forme du pluriel qui vaut pour plusieurs nombres n’affiche pas le nombre.", "Ajoutez le paramètre du nombre à la forme."],
  // No phone looks for a folder's strings.
  UnreachableLocale: ["Aucun téléphone ne cherche les textes d’un dossier.", "Donnez au dossier le nom que les téléphones cherchent, ou retirez-le."],
  // A folder or file looks like strings, but no build reads it.
  UnreadFile: ["Un dossier ou un fichier semble contenir des textes, mais aucune compilation ne le lit.", "Renommez-le, ou retirez-le."],
  // Nothing keeps Android's resource shrinker from removing the key.
  ResourceShrinker: ["Rien n’empêche le réducteur de ressources d’Android de retirer la clé.", "Lancez `dragoman check --write-keep`."],
  // A key occurs twice, and only one of its texts is used.
  DuplicateKey: ["Une clé existe deux fois, et un seul de ses textes est utilisé.", "N’en gardez qu’un."],
  // No text, no variant and no field uses a param.
  UnusedParam: ["Aucun texte, aucune variante et aucun champ n’utilise un paramètre.", "Utilisez-le dans `args` ou dans un champ, ou retirez-le."],
  // No translation shows an arg.
  UnusedArg: ["Aucune traduction n’affiche une valeur.", "Retirez-la de `args`, ou ajoutez son paramètre aux textes."],
  // An arg can change the order of a right-to-left text.
  BidiUnsafe: ["Une valeur peut changer l’ordre d’un texte qui se lit de droite à gauche.", "Écrivez `bidi: isolate` pour le paramètre, ou dans `defaults`."],
  // A translation is marked as new, stale or in need of review.
  StaleTranslation: ["Une traduction est marquée comme nouvelle, périmée ou à relire.", "Faites-la relire, puis marquez-la comme traduite."],
  // The text for a class of numbers is not what the plural says.
  PluralTextDiffers: ["Le texte d’une classe de nombres n’est pas celui du pluriel.", "Lancez `dragoman plurals --write`, ou corrigez le pluriel."],
  // No phone uses a plural form.
  UnusedQuantity: ["Aucun téléphone n’utilise une forme du pluriel.", "Retirez-la, ou donnez au cas une variante à lui."],
  // resources.locales and the languages of the app's strings differ.
  ShippedLocales: ["`resources.locales` et les langues des textes de l’application diffèrent.", "Accordez la liste et les textes."],
  // A banner cuts the text.
  TextTooLong: ["Une bannière coupe le texte.", "Mettez l’essentiel au début, ou raccourcissez le texte."],
  // Users who choose a language in the app may read the phone's.
  DeviceLanguage: ["Qui choisit une langue dans l’application lira peut-être celle du téléphone.", "Envoyez `recipient.locale`, et abonnez les utilisateurs à un sujet de leur langue."],
  // The readers of a topic by language get the fallback, or nothing.
  TopicFallback: ["Les lecteurs d’un sujet par langue reçoivent le texte de remplacement, ou rien.", "Corrigez les textes que l’aperçu montre comme textes de remplacement."],
};
