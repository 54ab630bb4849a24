// Chinese: what each rule of `dragoman check` finds, and what to do. The English of the first is above both.
export default {
  // No language has the key.
  MissingKey: ["没有任何语言有这个键。", "在应用中添加文本，或改正目录中的键。"],
  // Android's values/ lacks the key that translations have.
  MissingDefaultKey: ["Android 的 `values/` 缺少译文中已有的键。", "在 `values/` 中添加文本。"],
  // Some languages lack the key.
  MissingTranslation: ["部分语言缺少这个键。", "翻译该文本。"],
  // An iPhone whose app does not know the key yet shows the raw key.
  MissingFallback: ["应用还不认识这个键的 iPhone 会显示原始键。", "为模板提供后备文本（`fallback`）。"],
  // A numeric placeholder gets a string: Android crashes, and iOS shows garbage.
  StringFormatMatches: ["数字占位符收到文本：Android 会崩溃，iOS 会显示乱码。", "写成 `%1$s`（Android）或 `%1$@`（iPhone）。"],
  // A stray % or an unknown placeholder in a text that is formatted.
  StringFormatInvalid: ["会被格式化的文本中有多余的 `%` 或未知的占位符。", "百分号写成 `%%`，或改正占位符。"],
  // The text has more placeholders than the template sends args.
  StringFormatCount: ["文本中的占位符多于模板发送的参数值。", "发送缺少的参数值，或移除占位符。"],
  // The text has placeholders, but the template sends no args, so it is shown unformatted.
  PercentWithoutArgs: ["文本有占位符，但模板不发送参数值，因此文本不经格式化就显示。", "在 `args` 中写明参数，或移除占位符。"],
  // A loc key cannot look up a plural or an array.
  PluralKey: ["本地化键无法查找复数或数组。", "为每种形式设一个键，并用 `variants` 或 `plural` 选择。"],
  // The app lacks the key for a class of numbers of a plural.
  PluralClassMissing: ["应用缺少复数中某类数字的键。", "运行`dragoman plurals --write`，然后发布应用。"],
  // No text for push messages can be made of a plural.
  PluralUnreadable: ["无法由复数生成推送文本。", "改正复数，然后运行`dragoman plurals --write`。"],
  // plurals.languages lacks a language of the app.
  PluralLanguage: ["`plurals.languages` 缺少应用的一种语言。", "添加该语言，然后运行`dragoman plurals --write`。"],
  // A native string is missing or differs from its source: an ARB, JSON, XML or PO file.
  NativeDrift: ["原生文本缺失，或与其来源（ARB、JSON、XML 或 PO 文件）不一致。", "运行`dragoman strings --write`，然后发布应用。"],
  // No native string can be made of a text.
  SourceUnsupported: ["无法由某个文本生成原生文本。", "在来源中改写该文本，使两个平台都能显示。"],
  // The placeholder belongs to the other platform.
  ForeignPlaceholder: ["该占位符属于另一个平台。", "Android 写 `%1$s`，iPhone 写 `%1$@`。"],
  // A literal text wins over the loc key on Android.
  LiteralOverridesLocKey: ["在 Android 上，固定文本优先于本地化键。", "移除固定文本或键。"],
  // A message has a text of one language for all readers.
  LiteralText: ["消息对所有读者只有一种语言的文本。", "发送应用所有语言都有的键。"],
  // The text is empty: Android drops the line, and iOS shows the raw key.
  EmptyValue: ["文本为空：Android 丢弃该行，iOS 显示原始键。", "翻译它，或移除该条目。"],
  // The text is its own key.
  TextIsKey: ["文本就是键本身。", "写出应有的文本。"],
  // A placeholder broke in translation: a space, a letter of another script.
  PlaceholderDamaged: ["占位符在翻译中损坏：多了空格，或混入其他文字的字母。", "按源文本中的写法写占位符。"],
  // The key cannot be the name of an Android resource.
  KeySyntax: ["该键不能作为 Android 资源的名称。", "使用字母、数字和 `_`，并以字母或 `_` 开头。"],
  // The Android build refuses the name of a resource.
  InvalidResourceName: ["Android 构建拒绝某个资源的名称。", "在应用和目录中改名。"],
  // The key is not in the app's Localizable table, where push notifications look.
  WrongTable: ["该键不在应用的 `Localizable` 表中，而推送通知只在那里查找。", "把它移到主应用的 `Localizable`。"],
  // The key is only in a module or bundle that does not reach the app.
  WrongBundle: ["该键只在不会进入应用的模块或包中。", "把文本移到应用或它依赖的模块中。"],
  // The platform's tools reject a resource file.
  UnparsableStrings: ["平台的工具拒绝某个资源文件。", "在指出的位置改正文件。"],
  // The name of a folder is not a locale in the platform's notation.
  LocaleFolder: ["文件夹名称不是该平台写法的语言。", "重命名文件夹。"],
  // The limits of the params allow a message beyond FCM's 4,096 bytes.
  MessageTooLarge: ["参数的上限允许消息超过 FCM 的 4,096 字节。", "降低参数的 `max_length`，或减少发送的数据。"],
  // A release that the template may be sent to lacks the key.
  KeyNotInRelease: ["模板可以发送到的某个版本缺少该键。", "只从能显示它的版本起发送该模板：设置 `since`。"],
  // The build of an app gave the key an obfuscated name.
  KeyRenamed: ["应用的构建给该键起了混淆后的名称。", "把该键排除在混淆之外。"],
  // The fallback has a %, and iOS formats it with the args.
  FallbackPercent: ["后备文本含有 `%`，iOS 会用参数值格式化它。", "后备文本中不要写 `%`。"],
  // The text mixes placeholders with and without positions, or on Android has several without.
  MixedPositional: ["文本混用带位置和不带位置的占位符，或在 Android 上有多个不带位置的占位符。", "给每个占位符加上位置：`%1$s`、`%2$s`。"],
  // The source text has positions, but a translation does not.
  ArgOrderChanged: ["源文本带有位置，而某个译文没有。", "给每个占位符加上它在源文本中的位置。"],
  // A translation drops an arg that the source text shows.
  LostArg: ["译文漏掉了源文本显示的值。", "在译文中加上占位符。"],
  // Users see a tag, an entity, an escape or a placeholder of another system.
  VisibleMarkup: ["用户会看到标签、实体、转义符或其他系统的占位符。", "按应显示的样子书写文本。"],
  // A translation is a copy of the source text.
  Untranslated: ["译文与源文本相同。", "翻译它，或把该文本标记为无需翻译。"],
  // The text is in the letters of another language.
  WrongScript: ["文本使用了另一种语言的文字。", "翻译它，或移到其语言的文件夹。"],
  // A plural form for several numbers does not show the number.
  NumberMissing: ["用于多个数字的复数形式没有显示数字。", "在该形式中加上数字的占位符。"],
  // No phone looks for a folder's strings.
  UnreachableLocale: ["没有手机会查找某个文件夹的文本。", "把文件夹改成手机会查找的名称，或移除它。"],
  // A folder or file looks like strings, but no build reads it.
  UnreadFile: ["某个文件夹或文件看似文本资源，但没有构建会读取它。", "重命名或移除它。"],
  // Nothing keeps Android's resource shrinker from removing the key.
  ResourceShrinker: ["没有什么能阻止 Android 的资源缩减器移除该键。", "运行`dragoman check --write-keep`。"],
  // A key occurs twice, and only one of its texts is used.
  DuplicateKey: ["一个键出现两次，只有其中一个文本生效。", "只保留一个。"],
  // No text, no variant and no field uses a param.
  UnusedParam: ["没有文本、变体或字段使用某个参数。", "在 `args` 或字段中使用它，或移除它。"],
  // No translation shows an arg.
  UnusedArg: ["没有译文显示某个参数值。", "从 `args` 中移除它，或在文本中加上它的占位符。"],
  // An arg can change the order of a right-to-left text.
  BidiUnsafe: ["某个值可能改变从右到左文本的顺序。", "在参数或 `defaults` 中写 `bidi: isolate`。"],
  // A translation is marked as new, stale or in need of review.
  StaleTranslation: ["译文被标记为新建、过时或待审。", "请人审校，然后标记为已翻译。"],
  // The text for a class of numbers is not what the plural says.
  PluralTextDiffers: ["某类数字的文本与复数的内容不一致。", "运行`dragoman plurals --write`，或改正复数。"],
  // No phone uses a plural form.
  UnusedQuantity: ["没有手机使用某个复数形式。", "移除它，或为该情况单设变体。"],
  // resources.locales and the languages of the app's strings differ.
  ShippedLocales: ["`resources.locales` 与应用文本的语言不一致。", "使列表与文本一致。"],
  // A banner cuts the text.
  TextTooLong: ["横幅会截断文本。", "把重要内容放在开头，或缩短文本。"],
  // Users who choose a language in the app may read the phone's.
  DeviceLanguage: ["在应用中选择了语言的用户可能读到手机的语言。", "发送 `recipient.locale`，并让用户订阅其语言的主题。"],
  // The readers of a topic by language get the fallback, or nothing.
  TopicFallback: ["按语言划分的主题的读者收到后备文本，或什么也收不到。", "改正预览中显示为后备文本的文本。"],
};
