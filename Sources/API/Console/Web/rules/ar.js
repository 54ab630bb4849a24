// Arabic: what each rule of `dragoman check` finds, and what to do. The English of the first is above both.
export default {
  // No language has the key.
  MissingKey: ["لا توجد لغة فيها هذا المفتاح.", "أضف النص إلى التطبيق، أو صحّح المفتاح في الفهرس."],
  // Android's values/ lacks the key that translations have.
  MissingDefaultKey: ["ينقص `values/` في Android المفتاح الموجود في الترجمات.", "أضف النص إلى `values/`."],
  // Some languages lack the key.
  MissingTranslation: ["ينقص المفتاح بعض اللغات.", "ترجم النص."],
  // An iPhone whose app does not know the key yet shows the raw key.
  MissingFallback: ["يعرض iPhone المفتاح الخام إن لم يكن تطبيقه يعرف المفتاح بعد.", "أعطِ القالب نصًا بديلًا (`fallback`)."],
  // A numeric placeholder gets a string: Android crashes, and iOS shows garbage.
  StringFormatMatches: ["موضع عددي يتلقى نصًا: يتعطل Android، ويعرض iOS كلامًا بلا معنى.", "اكتب `%1$s` (Android) أو `%1$@` (iPhone)."],
  // A stray % or an unknown placeholder in a text that is formatted.
  StringFormatInvalid: ["علامة `%` وحيدة أو موضع غير معروف في نص يُنسَّق.", "اكتب `%%` لعلامة النسبة المئوية، أو صحّح الموضع."],
  // The text has more placeholders than the template sends args.
  StringFormatCount: ["في النص مواضع أكثر من القيم التي يرسلها القالب.", "أرسل القيم الناقصة، أو أزل الموضع."],
  // The text has placeholders, but the template sends no args, so it is shown unformatted.
  PercentWithoutArgs: ["في النص مواضع، لكن القالب لا يرسل قيمًا، فيظهر بلا تنسيق.", "سمِّ المعاملات في `args`، أو أزل الموضع."],
  // A loc key cannot look up a plural or an array.
  PluralKey: ["لا يستطيع مفتاح الترجمة أن يجد جمعًا أو مصفوفة.", "أعطِ كل صيغة مفتاحها، واخترها بـ `variants` أو `plural`."],
  // The app lacks the key for a class of numbers of a plural.
  PluralClassMissing: ["ينقص التطبيق مفتاح فئة من أعداد الجمع.", "شغّل `dragoman plurals --write` ثم أصدر التطبيق."],
  // No text for push messages can be made of a plural.
  PluralUnreadable: ["لا يمكن استخراج نص للإشعارات من صيغة جمع.", "صحّح صيغة الجمع، ثم شغّل `dragoman plurals --write`."],
  // plurals.languages lacks a language of the app.
  PluralLanguage: ["تنقص `plurals.languages` لغة من لغات التطبيق.", "أضفها، ثم شغّل `dragoman plurals --write`."],
  // A native string is missing or differs from its source: an ARB, JSON, XML or PO file.
  NativeDrift: ["نص أصلي للمنصة ناقص أو يختلف عن مصدره: ملف ARB أو JSON أو XML أو PO.", "شغّل `dragoman strings --write` ثم أصدر التطبيق."],
  // No native string can be made of a text.
  SourceUnsupported: ["لا يمكن تحويل نص إلى نص أصلي للمنصة.", "أعد صياغة النص في المصدر بحيث تستطيع المنصتان عرضه."],
  // The placeholder belongs to the other platform.
  ForeignPlaceholder: ["الموضع يخص المنصة الأخرى.", "اكتب `%1$s` لـ Android و`%1$@` لـ iPhone."],
  // A literal text wins over the loc key on Android.
  LiteralOverridesLocKey: ["في Android يغلب النص الثابت مفتاح الترجمة.", "أزل النص الثابت أو المفتاح."],
  // A message has a text of one language for all readers.
  LiteralText: ["في رسالة نص بلغة واحدة لكل القراء.", "أرسل مفتاحًا موجودًا في كل لغات التطبيق."],
  // The text is empty: Android drops the line, and iOS shows the raw key.
  EmptyValue: ["النص فارغ: يُسقط Android السطر، ويعرض iOS المفتاح الخام.", "ترجمه، أو أزل المُدخل."],
  // The text is its own key.
  TextIsKey: ["النص هو مفتاحه نفسه.", "اكتب النص المقصود."],
  // A placeholder broke in translation: a space, a letter of another script.
  PlaceholderDamaged: ["تلف موضع عند الترجمة: مسافة، أو حرف من كتابة أخرى.", "اكتب الموضع كما في النص المصدر."],
  // The key cannot be the name of an Android resource.
  KeySyntax: ["لا يصلح المفتاح اسمًا لمورد في Android.", "استعمل حروفًا لاتينية وأرقامًا و`_`، وابدأ بحرف أو `_`."],
  // The Android build refuses the name of a resource.
  InvalidResourceName: ["يرفض بناء Android اسم مورد.", "غيّر اسمه، في التطبيق وفي الفهرس."],
  // The key is not in the app's Localizable table, where push notifications look.
  WrongTable: ["المفتاح ليس في جدول `Localizable` للتطبيق، حيث تبحث الإشعارات.", "انقله إلى `Localizable` في التطبيق الرئيسي."],
  // The key is only in a module or bundle that does not reach the app.
  WrongBundle: ["المفتاح موجود فقط في وحدة أو حزمة لا تصل إلى التطبيق.", "انقل النص إلى التطبيق، أو إلى وحدة يعتمد عليها."],
  // The platform's tools reject a resource file.
  UnparsableStrings: ["ترفض أدوات المنصة ملف موارد.", "صحّح الملف في الموضع المذكور."],
  // The name of a folder is not a locale in the platform's notation.
  LocaleFolder: ["اسم مجلد ليس لغة بترميز المنصة.", "غيّر اسم المجلد."],
  // The limits of the params allow a message beyond FCM's 4,096 bytes.
  MessageTooLarge: ["تسمح حدود المعاملات برسالة تتجاوز 4096 بايت، وهو حد FCM.", "خفّض `max_length` للمعاملات، أو أرسل بيانات أقل."],
  // A release that the template may be sent to lacks the key.
  KeyNotInRelease: ["ينقص المفتاح إصدارًا يجوز إرسال القالب إليه.", "أرسل القالب فقط بدءًا من الإصدار القادر على عرضه: اضبط `since`."],
  // The build of an app gave the key an obfuscated name.
  KeyRenamed: ["أعطى بناء التطبيق المفتاح اسمًا مموَّهًا.", "استثنِ المفتاح من التمويه."],
  // The fallback has a %, and iOS formats it with the args.
  FallbackPercent: ["في النص البديل علامة `%`، ويُنسّقه iOS بالقيم.", "اكتب النص البديل بلا `%`."],
  // The text mixes placeholders with and without positions, or on Android has several without.
  MixedPositional: ["يخلط النص مواضع مرقمة وغير مرقمة، أو فيه في Android عدة مواضع بلا ترقيم.", "رقّم كل موضع: `%1$s`، `%2$s`."],
  // The source text has positions, but a translation does not.
  ArgOrderChanged: ["في النص المصدر مواضع مرقمة، وليس كذلك في ترجمة.", "أعطِ كل موضع رقمه في النص المصدر."],
  // A translation drops an arg that the source text shows.
  LostArg: ["تُسقط ترجمة قيمة يعرضها النص المصدر.", "أضف الموضع إلى الترجمة."],
  // Users see a tag, an entity, an escape or a placeholder of another system.
  VisibleMarkup: ["يرى المستخدمون وسمًا أو كيانًا أو رمز هروب أو موضعًا من نظام آخر.", "اكتب النص كما ينبغي أن يُقرأ."],
  // A translation is a copy of the source text.
  Untranslated: ["الترجمة نسخة من النص المصدر.", "ترجمها، أو علّم النص بأنه لا يُترجم."],
  // The text is in the letters of another language.
  WrongScript: ["النص مكتوب بحروف لغة أخرى.", "ترجمه، أو انقله إلى مجلد لغته."],
  // A plural form for several numbers does not show the number.
  NumberMissing: ["صيغة جمع لعدة أعداد لا تعرض العدد.", "أضف موضع العدد إلى الصيغة."],
  // No phone looks for a folder's strings.
  UnreachableLocale: ["لا يبحث أي هاتف عن نصوص مجلد.", "أعطِ المجلد الاسم الذي تبحث عنه الهواتف، أو أزله."],
  // A folder or file looks like strings, but no build reads it.
  UnreadFile: ["يبدو مجلد أو ملف كأنه نصوص، لكن لا يقرؤه أي بناء.", "غيّر اسمه، أو أزله."],
  // Nothing keeps Android's resource shrinker from removing the key.
  ResourceShrinker: ["لا شيء يمنع مقلّص الموارد في Android من إزالة المفتاح.", "شغّل `dragoman check --write-keep`."],
  // A key occurs twice, and only one of its texts is used.
  DuplicateKey: ["يتكرر مفتاح مرتين، ولا يُستعمل إلا أحد نصّيه.", "أبقِ واحدًا منهما."],
  // No text, no variant and no field uses a param.
  UnusedParam: ["لا يستعمل المعامل أي نص أو بديل أو حقل.", "استعمله في `args` أو في حقل، أو أزله."],
  // No translation shows an arg.
  UnusedArg: ["لا تعرض أي ترجمة هذه القيمة.", "أزلها من `args`، أو أضف موضعها إلى النصوص."],
  // An arg can change the order of a right-to-left text.
  BidiUnsafe: ["قد تغيّر قيمة ترتيب نص يُكتب من اليمين إلى اليسار.", "اكتب `bidi: isolate` عند المعامل، أو في `defaults`."],
  // A translation is marked as new, stale or in need of review.
  StaleTranslation: ["ترجمة معلَّمة بأنها جديدة أو قديمة أو تحتاج إلى مراجعة.", "اطلب مراجعتها، ثم علّمها بأنها مترجمة."],
  // The text for a class of numbers is not what the plural says.
  PluralTextDiffers: ["نص فئة من الأعداد ليس ما تقوله صيغة الجمع.", "شغّل `dragoman plurals --write`، أو صحّح صيغة الجمع."],
  // No phone uses a plural form.
  UnusedQuantity: ["لا يستعمل أي هاتف صيغة جمع.", "أزلها، أو أعطِ الحالة بديلًا خاصًا بها."],
  // resources.locales and the languages of the app's strings differ.
  ShippedLocales: ["تختلف `resources.locales` عن لغات نصوص التطبيق.", "وفّق بين القائمة والنصوص."],
  // A banner cuts the text.
  TextTooLong: ["يقطع الشريط النص.", "ضع المهم في البداية، أو اختصر النص."],
  // Users who choose a language in the app may read the phone's.
  DeviceLanguage: ["قد يقرأ من اختار لغة في التطبيق لغة الهاتف.", "أرسل `recipient.locale`، ودع المستخدمين يشتركون في موضوع بلغتهم."],
  // The readers of a topic by language get the fallback, or nothing.
  TopicFallback: ["يصل إلى قراء موضوع حسب اللغة النص البديل، أو لا شيء.", "صحّح النصوص التي تعرضها المعاينة نصًا بديلًا."],
};
