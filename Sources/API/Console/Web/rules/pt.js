// Portuguese: what each rule of `dragoman check` finds, and what to do. The English of the first is above both.
export default {
  // No language has the key.
  MissingKey: ["Nenhum idioma tem a chave.", "Adicione o texto ao aplicativo ou corrija a chave no catálogo."],
  // Android's values/ lacks the key that translations have.
  MissingDefaultKey: ["A pasta `values/` do Android não tem a chave que as traduções têm.", "Adicione o texto a `values/`."],
  // Some languages lack the key.
  MissingTranslation: ["Falta a chave em alguns idiomas.", "Traduza o texto."],
  // An iPhone whose app does not know the key yet shows the raw key.
  MissingFallback: ["Um iPhone cujo aplicativo ainda não conhece a chave mostra a chave crua.", "Dê ao modelo um texto reserva (`fallback`)."],
  // A numeric placeholder gets a string: Android crashes, and iOS shows garbage.
  StringFormatMatches: ["Um marcador numérico recebe um texto: o Android fecha o aplicativo e o iOS mostra lixo.", "Escreva `%1$s` (Android) ou `%1$@` (iPhone)."],
  // A stray % or an unknown placeholder in a text that is formatted.
  StringFormatInvalid: ["Um `%` solto ou um marcador desconhecido em um texto que é formatado.", "Escreva `%%` para o sinal de porcentagem ou corrija o marcador."],
  // The text has more placeholders than the template sends args.
  StringFormatCount: ["O texto tem mais marcadores do que os valores que o modelo envia.", "Envie os valores que faltam ou remova o marcador."],
  // The text has placeholders, but the template sends no args, so it is shown unformatted.
  PercentWithoutArgs: ["O texto tem marcadores, mas o modelo não envia valores; por isso ele aparece sem formatação.", "Cite os parâmetros em `args` ou remova o marcador."],
  // A loc key cannot look up a plural or an array.
  PluralKey: ["Uma chave de localização não encontra um plural nem uma lista.", "Dê a cada forma uma chave própria e escolha-a com `variants` ou `plural`."],
  // The app lacks the key for a class of numbers of a plural.
  PluralClassMissing: ["Falta no aplicativo a chave de uma classe de números de um plural.", "Execute `dragoman plurals --write` e publique o aplicativo."],
  // No text for push messages can be made of a plural.
  PluralUnreadable: ["Não é possível obter de um plural um texto para notificações.", "Corrija o plural e execute depois `dragoman plurals --write`."],
  // plurals.languages lacks a language of the app.
  PluralLanguage: ["Falta em `plurals.languages` um idioma do aplicativo.", "Adicione-o e execute depois `dragoman plurals --write`."],
  // A native string is missing or differs from its source: an ARB, JSON, XML or PO file.
  NativeDrift: ["Um texto nativo falta ou difere da sua origem: um arquivo ARB, JSON, XML ou PO.", "Execute `dragoman strings --write` e publique o aplicativo."],
  // No native string can be made of a text.
  SourceUnsupported: ["Não é possível obter de um texto um texto nativo.", "Reescreva o texto na origem para que as duas plataformas possam mostrá-lo."],
  // The placeholder belongs to the other platform.
  ForeignPlaceholder: ["O marcador é da outra plataforma.", "Escreva `%1$s` para o Android e `%1$@` para o iPhone."],
  // A literal text wins over the loc key on Android.
  LiteralOverridesLocKey: ["No Android, um texto fixo tem prioridade sobre a chave de localização.", "Remova o texto fixo ou a chave."],
  // A message has a text of one language for all readers.
  LiteralText: ["Uma mensagem tem um texto em um só idioma para todos os leitores.", "Envie uma chave que todos os idiomas do aplicativo tenham."],
  // The text is empty: Android drops the line, and iOS shows the raw key.
  EmptyValue: ["O texto está vazio: o Android omite a linha e o iOS mostra a chave crua.", "Traduza-o ou remova a entrada."],
  // The text is its own key.
  TextIsKey: ["O texto é a sua própria chave.", "Escreva o texto que se queria mostrar."],
  // A placeholder broke in translation: a space, a letter of another script.
  PlaceholderDamaged: ["Um marcador quebrou na tradução: um espaço, uma letra de outra escrita.", "Escreva o marcador como no texto de origem."],
  // The key cannot be the name of an Android resource.
  KeySyntax: ["A chave não pode ser o nome de um recurso do Android.", "Use letras, algarismos e `_`, começando por uma letra ou `_`."],
  // The Android build refuses the name of a resource.
  InvalidResourceName: ["O build do Android recusa o nome de um recurso.", "Mude o nome, no aplicativo e no catálogo."],
  // The key is not in the app's Localizable table, where push notifications look.
  WrongTable: ["A chave não está na tabela `Localizable` do aplicativo, onde as notificações procuram.", "Mova-a para `Localizable` do aplicativo principal."],
  // The key is only in a module or bundle that does not reach the app.
  WrongBundle: ["A chave está só em um módulo ou bundle que não chega ao aplicativo.", "Mova o texto para o aplicativo ou para um módulo de que ele dependa."],
  // The platform's tools reject a resource file.
  UnparsableStrings: ["As ferramentas da plataforma rejeitam um arquivo de recursos.", "Corrija o arquivo no lugar indicado."],
  // The name of a folder is not a locale in the platform's notation.
  LocaleFolder: ["O nome de uma pasta não é um idioma na notação da plataforma.", "Mude o nome da pasta."],
  // The limits of the params allow a message beyond FCM's 4,096 bytes.
  MessageTooLarge: ["Os limites dos parâmetros permitem uma mensagem acima dos 4.096 bytes do FCM.", "Reduza `max_length` dos parâmetros ou envie menos dados."],
  // A release that the template may be sent to lacks the key.
  KeyNotInRelease: ["Falta a chave em uma versão para a qual o modelo pode ser enviado.", "Envie o modelo só a partir da versão que consegue mostrá-lo: ajuste `since`."],
  // The build of an app gave the key an obfuscated name.
  KeyRenamed: ["O build de um aplicativo deu à chave um nome ofuscado.", "Exclua a chave da ofuscação."],
  // The fallback has a %, and iOS formats it with the args.
  FallbackPercent: ["O texto reserva tem um `%`, e o iOS o formata com os valores.", "Escreva o texto reserva sem `%`."],
  // The text mixes placeholders with and without positions, or on Android has several without.
  MixedPositional: ["O texto mistura marcadores com e sem posição ou, no Android, tem vários sem posição.", "Dê uma posição a cada marcador: `%1$s`, `%2$s`."],
  // The source text has positions, but a translation does not.
  ArgOrderChanged: ["O texto de origem tem posições, mas uma tradução não.", "Dê a cada marcador a posição que ele tem no texto de origem."],
  // A translation drops an arg that the source text shows.
  LostArg: ["Uma tradução omite um valor que o texto de origem mostra.", "Adicione o marcador à tradução."],
  // Users see a tag, an entity, an escape or a placeholder of another system.
  VisibleMarkup: ["Os usuários veem uma tag, uma entidade, um escape ou um marcador de outro sistema.", "Escreva o texto como ele deve ser lido."],
  // A translation is a copy of the source text.
  Untranslated: ["Uma tradução é uma cópia do texto de origem.", "Traduza-a ou marque o texto como não traduzível."],
  // The text is in the letters of another language.
  WrongScript: ["O texto está nas letras de outro idioma.", "Traduza-o ou mova-o para a pasta do seu idioma."],
  // A plural form for several numbers does not show the number.
  NumberMissing: ["Uma forma do plural que vale para vários números não mostra o número.", "Adicione o marcador do número à forma."],
  // No phone looks for a folder's strings.
  UnreachableLocale: ["Nenhum telefone procura os textos de uma pasta.", "Dê à pasta o nome que os telefones procuram ou remova-a."],
  // A folder or file looks like strings, but no build reads it.
  UnreadFile: ["Uma pasta ou um arquivo parece ter textos, mas nenhum build o lê.", "Mude o nome ou remova-o."],
  // Nothing keeps Android's resource shrinker from removing the key.
  ResourceShrinker: ["Nada impede que o redutor de recursos do Android remova a chave.", "Execute `dragoman check --write-keep`."],
  // A key occurs twice, and only one of its texts is used.
  DuplicateKey: ["Uma chave aparece duas vezes, e só um dos seus textos é usado.", "Mantenha só um deles."],
  // No text, no variant and no field uses a param.
  UnusedParam: ["Nenhum texto, variante ou campo usa um parâmetro.", "Use-o em `args` ou em um campo, ou remova-o."],
  // No translation shows an arg.
  UnusedArg: ["Nenhuma tradução mostra um valor.", "Remova-o de `args` ou adicione o marcador aos textos."],
  // An arg can change the order of a right-to-left text.
  BidiUnsafe: ["Um valor pode mudar a ordem de um texto da direita para a esquerda.", "Escreva `bidi: isolate` no parâmetro ou em `defaults`."],
  // A translation is marked as new, stale or in need of review.
  StaleTranslation: ["Uma tradução está marcada como nova, desatualizada ou a revisar.", "Peça a revisão e depois marque-a como traduzida."],
  // The text for a class of numbers is not what the plural says.
  PluralTextDiffers: ["O texto de uma classe de números não é o do plural.", "Execute `dragoman plurals --write` ou corrija o plural."],
  // No phone uses a plural form.
  UnusedQuantity: ["Nenhum telefone usa uma forma do plural.", "Remova-a ou dê ao caso uma variante própria."],
  // resources.locales and the languages of the app's strings differ.
  ShippedLocales: ["`resources.locales` e os idiomas dos textos do aplicativo não coincidem.", "Faça a lista e os textos coincidirem."],
  // A banner cuts the text.
  TextTooLong: ["Um banner corta o texto.", "Ponha o importante no início ou encurte o texto."],
  // Users who choose a language in the app may read the phone's.
  DeviceLanguage: ["Quem escolhe um idioma no aplicativo pode ler o do telefone.", "Envie `recipient.locale` e inscreva os usuários em um tópico do seu idioma."],
  // The readers of a topic by language get the fallback, or nothing.
  TopicFallback: ["Os leitores de um tópico por idioma recebem o texto reserva ou nada.", "Corrija os textos que a prévia mostra como texto reserva."],
};
