// Spanish: what each rule of `dragoman check` finds, and what to do. The English of the first is above both.
export default {
  // No language has the key.
  MissingKey: ["Ningún idioma tiene la clave.", "Añade el texto a la aplicación o corrige la clave en el catálogo."],
  // Android's values/ lacks the key that translations have.
  MissingDefaultKey: ["La carpeta `values/` de Android no tiene la clave que tienen las traducciones.", "Añade el texto a `values/`."],
  // Some languages lack the key.
  MissingTranslation: ["A algunos idiomas les falta la clave.", "Traduce el texto."],
  // An iPhone whose app does not know the key yet shows the raw key.
  MissingFallback: ["Un iPhone cuya aplicación aún no conoce la clave muestra la clave tal cual.", "Da a la plantilla un texto de reserva (`fallback`)."],
  // A numeric placeholder gets a string: Android crashes, and iOS shows garbage.
  StringFormatMatches: ["Un marcador numérico recibe un texto: Android se cierra e iOS muestra basura.", "Escribe `%1$s` (Android) o `%1$@` (iPhone)."],
  // A stray % or an unknown placeholder in a text that is formatted.
  StringFormatInvalid: ["Un `%` suelto o un marcador desconocido en un texto que se formatea.", "Escribe `%%` para el signo de porcentaje o corrige el marcador."],
  // The text has more placeholders than the template sends args.
  StringFormatCount: ["El texto tiene más marcadores que valores envía la plantilla.", "Envía los valores que faltan o quita el marcador."],
  // The text has placeholders, but the template sends no args, so it is shown unformatted.
  PercentWithoutArgs: ["El texto tiene marcadores, pero la plantilla no envía valores, así que se muestra sin formatear.", "Nombra los parámetros en `args` o quita el marcador."],
  // A loc key cannot look up a plural or an array.
  PluralKey: ["Una clave de localización no puede buscar un plural ni una lista.", "Da a cada forma su propia clave y elígela con `variants` o `plural`."],
  // The app lacks the key for a class of numbers of a plural.
  PluralClassMissing: ["A la aplicación le falta la clave de una clase de números de un plural.", "Ejecuta `dragoman plurals --write` y publica la aplicación."],
  // No text for push messages can be made of a plural.
  PluralUnreadable: ["De un plural no se puede obtener un texto para notificaciones.", "Corrige el plural y ejecuta después `dragoman plurals --write`."],
  // plurals.languages lacks a language of the app.
  PluralLanguage: ["En `plurals.languages` falta un idioma de la aplicación.", "Añádelo y ejecuta después `dragoman plurals --write`."],
  // A native string is missing or differs from its source: an ARB, JSON, XML or PO file.
  NativeDrift: ["Un texto nativo falta o difiere de su origen: un archivo ARB, JSON, XML o PO.", "Ejecuta `dragoman strings --write` y publica la aplicación."],
  // No native string can be made of a text.
  SourceUnsupported: ["De un texto no se puede obtener un texto nativo.", "Reescribe el texto en el origen para que ambas plataformas puedan mostrarlo."],
  // The placeholder belongs to the other platform.
  ForeignPlaceholder: ["El marcador es de la otra plataforma.", "Escribe `%1$s` para Android y `%1$@` para el iPhone."],
  // A literal text wins over the loc key on Android.
  LiteralOverridesLocKey: ["En Android, un texto fijo tiene prioridad sobre la clave de localización.", "Quita el texto fijo o la clave."],
  // A message has a text of one language for all readers.
  LiteralText: ["Un mensaje tiene un texto en un solo idioma para todos los lectores.", "Envía una clave que tengan todos los idiomas de la aplicación."],
  // The text is empty: Android drops the line, and iOS shows the raw key.
  EmptyValue: ["El texto está vacío: Android omite la línea e iOS muestra la clave tal cual.", "Tradúcelo o quita la entrada."],
  // The text is its own key.
  TextIsKey: ["El texto es su propia clave.", "Escribe el texto que se quería mostrar."],
  // A placeholder broke in translation: a space, a letter of another script.
  PlaceholderDamaged: ["Un marcador se estropeó al traducir: un espacio, una letra de otra escritura.", "Escribe el marcador como en el texto de origen."],
  // The key cannot be the name of an Android resource.
  KeySyntax: ["La clave no puede ser el nombre de un recurso de Android.", "Usa letras, cifras y `_`, y empieza por una letra o `_`."],
  // The Android build refuses the name of a resource.
  InvalidResourceName: ["La compilación de Android rechaza el nombre de un recurso.", "Cámbiale el nombre, en la aplicación y en el catálogo."],
  // The key is not in the app's Localizable table, where push notifications look.
  WrongTable: ["La clave no está en la tabla `Localizable` de la aplicación, donde buscan las notificaciones.", "Muévela a `Localizable` de la aplicación principal."],
  // The key is only in a module or bundle that does not reach the app.
  WrongBundle: ["La clave está solo en un módulo o bundle que no llega a la aplicación.", "Mueve el texto a la aplicación o a un módulo del que dependa."],
  // The platform's tools reject a resource file.
  UnparsableStrings: ["Las herramientas de la plataforma rechazan un archivo de recursos.", "Corrige el archivo en el lugar indicado."],
  // The name of a folder is not a locale in the platform's notation.
  LocaleFolder: ["El nombre de una carpeta no es un idioma en la notación de la plataforma.", "Cambia el nombre de la carpeta."],
  // The limits of the params allow a message beyond FCM's 4,096 bytes.
  MessageTooLarge: ["Los límites de los parámetros permiten un mensaje de más de los 4096 bytes de FCM.", "Baja `max_length` de los parámetros o envía menos datos."],
  // A release that the template may be sent to lacks the key.
  KeyNotInRelease: ["A una versión a la que se puede enviar la plantilla le falta la clave.", "Envía la plantilla solo desde la versión que puede mostrarla: ajusta `since`."],
  // The build of an app gave the key an obfuscated name.
  KeyRenamed: ["La compilación de una aplicación dio a la clave un nombre ofuscado.", "Excluye la clave de la ofuscación."],
  // The fallback has a %, and iOS formats it with the args.
  FallbackPercent: ["El texto de reserva tiene un `%`, e iOS lo formatea con los valores.", "Escribe el texto de reserva sin `%`."],
  // The text mixes placeholders with and without positions, or on Android has several without.
  MixedPositional: ["El texto mezcla marcadores con y sin posición, o en Android tiene varios sin ella.", "Da una posición a cada marcador: `%1$s`, `%2$s`."],
  // The source text has positions, but a translation does not.
  ArgOrderChanged: ["El texto de origen tiene posiciones, pero una traducción no.", "Da a cada marcador la posición que tiene en el texto de origen."],
  // A translation drops an arg that the source text shows.
  LostArg: ["Una traducción omite un valor que el texto de origen muestra.", "Añade el marcador a la traducción."],
  // Users see a tag, an entity, an escape or a placeholder of another system.
  VisibleMarkup: ["Los usuarios ven una etiqueta, una entidad, un escape o un marcador de otro sistema.", "Escribe el texto tal como debe leerse."],
  // A translation is a copy of the source text.
  Untranslated: ["Una traducción es una copia del texto de origen.", "Tradúcela o marca el texto como no traducible."],
  // The text is in the letters of another language.
  WrongScript: ["El texto está en las letras de otro idioma.", "Tradúcelo o muévelo a la carpeta de su idioma."],
  // A plural form for several numbers does not show the number.
  NumberMissing: ["Una forma del plural que vale para varios números no muestra el número.", "Añade el marcador del número a la forma."],
  // No phone looks for a folder's strings.
  UnreachableLocale: ["Ningún teléfono busca los textos de una carpeta.", "Da a la carpeta el nombre que buscan los teléfonos o quítala."],
  // A folder or file looks like strings, but no build reads it.
  UnreadFile: ["Una carpeta o un archivo parece tener textos, pero ninguna compilación lo lee.", "Cámbiale el nombre o quítalo."],
  // Nothing keeps Android's resource shrinker from removing the key.
  ResourceShrinker: ["Nada impide que el reductor de recursos de Android quite la clave.", "Ejecuta `dragoman check --write-keep`."],
  // A key occurs twice, and only one of its texts is used.
  DuplicateKey: ["Una clave aparece dos veces y solo se usa uno de sus textos.", "Conserva solo uno."],
  // No text, no variant and no field uses a param.
  UnusedParam: ["Ningún texto, variante ni campo usa un parámetro.", "Úsalo en `args` o en un campo, o quítalo."],
  // No translation shows an arg.
  UnusedArg: ["Ninguna traducción muestra un valor.", "Quítalo de `args` o añade su marcador a los textos."],
  // An arg can change the order of a right-to-left text.
  BidiUnsafe: ["Un valor puede cambiar el orden de un texto que va de derecha a izquierda.", "Escribe `bidi: isolate` en el parámetro o en `defaults`."],
  // A translation is marked as new, stale or in need of review.
  StaleTranslation: ["Una traducción está marcada como nueva, desactualizada o por revisar.", "Haz que la revisen y márcala después como traducida."],
  // The text for a class of numbers is not what the plural says.
  PluralTextDiffers: ["El texto de una clase de números no es el del plural.", "Ejecuta `dragoman plurals --write` o corrige el plural."],
  // No phone uses a plural form.
  UnusedQuantity: ["Ningún teléfono usa una forma del plural.", "Quítala o da al caso una variante propia."],
  // resources.locales and the languages of the app's strings differ.
  ShippedLocales: ["`resources.locales` y los idiomas de los textos de la aplicación no coinciden.", "Haz que la lista y los textos coincidan."],
  // A banner cuts the text.
  TextTooLong: ["Un banner corta el texto.", "Pon lo importante al principio o acorta el texto."],
  // Users who choose a language in the app may read the phone's.
  DeviceLanguage: ["Quien elige un idioma en la aplicación puede leer el del teléfono.", "Envía `recipient.locale` y suscribe a los usuarios a un tema de su idioma."],
  // The readers of a topic by language get the fallback, or nothing.
  TopicFallback: ["Los lectores de un tema por idioma reciben el texto de reserva o nada.", "Corrige los textos que la vista previa muestra como texto de reserva."],
};
