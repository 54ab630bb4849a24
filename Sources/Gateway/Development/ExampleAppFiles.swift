// swift-format-ignore-file
// Written by scripts/embed-example-app from config/; change the files there and run it again.

extension ExampleApp {
  /// Paths below the example folder, and what the files hold.
  static let files: [(path: String, text: String)] = [
    ("catalog.yaml", ##"""
# yaml-language-server: $schema=catalog.schema.json
#
# The catalog of the example app. Callers name a template and give its args. The texts are the app's own string
# resources, which each phone looks up in its own language.
version: 1

# Where those strings are, relative to this file: Android's res folder, and the folder that contains iOS's *.lproj.
resources: {android: example-app/res, ios: example-app, development_language: en}

# What applies to every template that does not set it.
defaults:
  ttl: 24h
  priority: high
  android: {notification: {channel_id: general}}
  apns: {payload: {aps: {sound: default}}}

templates:
  welcome:
    description: The user has signed up.
    params:
      name: {type: string, max_length: 100}
    title: {android: welcome_title, ios: WELCOME_TITLE, args: [name]}
    fallback: {title: Welcome!}

  new_message:
    description: Somebody wrote to the user.
    params:
      # The user's own name. If it is empty, the title contains no name.
      name: {type: string, max_length: 100, default: ""}
      count: {type: integer}
      sender: {type: string, max_length: 100}
    title:
      android: welcome_title
      ios: WELCOME_TITLE
      args: [name]
      variants:
        - {when: {name: ""}, android: welcome_title_plain, ios: WELCOME_TITLE_PLAIN, args: []}
    body:
      android: new_message_body
      ios: NEW_MESSAGE_BODY
      args: [count, sender]
      variants:
        - {when: {count: 1}, android: new_message_body_one, ios: NEW_MESSAGE_BODY_ONE, args: [sender]}
    fallback: {title: Welcome!, body: You have new messages.}
    android: {notification: {icon: ic_chat}}
    apns: {payload: {aps: {thread-id: chat}}}

  stock:
    description: A share closed higher than the day before. For a topic or a condition.
    params:
      company: {type: string, max_length: 100}
      # A caller may give a number as a string, which is passed on as written: "11.80" stays "11.80".
      points: {type: number}
      price: {type: number}
      percent: {type: number}
    ttl: 3600s
    body:
      android: STOCK_NOTIFICATION_BODY
      ios: STOCK_NOTIFICATION_BODY
      args: [company, points, price, percent]
    fallback: {body: A share that you follow closed higher.}

"""##),
    ("example-app/de.lproj/Localizable.strings", ##"""
"WELCOME_TITLE" = "Willkommen, %1$@!";
"WELCOME_TITLE_PLAIN" = "Willkommen!";
"NEW_MESSAGE_BODY" = "Du hast %1$@ neue Nachrichten von %2$@.";
"NEW_MESSAGE_BODY_ONE" = "Du hast eine neue Nachricht von %1$@.";
"STOCK_NOTIFICATION_BODY" = "%1$@ gewann %2$@ Punkte und schloss bei %3$@, ein Tagesplus von %4$@ %%.";

"""##),
    ("example-app/en.lproj/Localizable.strings", ##"""
/* %1$@: the user's own name. */
"WELCOME_TITLE" = "Welcome, %1$@!";

/* Used if the user's name is unknown. */
"WELCOME_TITLE_PLAIN" = "Welcome!";

/* %1$@: the number of messages, two or more. %2$@: the sender. */
"NEW_MESSAGE_BODY" = "You have %1$@ new messages from %2$@.";

/* Used for exactly one message. %1$@: the sender. */
"NEW_MESSAGE_BODY_ONE" = "You have a new message from %1$@.";

/* %1$@: the company. %2$@: points gained. %3$@: closing price. %4$@: gain in percent. */
"STOCK_NOTIFICATION_BODY" = "%1$@ gained %2$@ points to close at %3$@, up %4$@%% on the day.";

"""##),
    ("example-app/es.lproj/Localizable.strings", ##"""
"WELCOME_TITLE" = "¡Te damos la bienvenida, %1$@!";
"WELCOME_TITLE_PLAIN" = "¡Te damos la bienvenida!";
"NEW_MESSAGE_BODY" = "Tienes %1$@ mensajes nuevos de %2$@.";
"NEW_MESSAGE_BODY_ONE" = "Tienes un mensaje nuevo de %1$@.";
"STOCK_NOTIFICATION_BODY" = "%1$@ ganó %2$@ puntos y cerró en %3$@, una subida del %4$@ %% en el día.";

"""##),
    ("example-app/fr.lproj/Localizable.strings", ##"""
"WELCOME_TITLE" = "Bienvenue, %1$@!";
"WELCOME_TITLE_PLAIN" = "Bienvenue!";
"NEW_MESSAGE_BODY" = "%2$@ vous a envoyé %1$@ nouveaux messages.";
"NEW_MESSAGE_BODY_ONE" = "%1$@ vous a envoyé un nouveau message.";
"STOCK_NOTIFICATION_BODY" = "%1$@ gagne %2$@ points et clôture à %3$@, en hausse de %4$@ %% sur la journée.";

"""##),
    ("example-app/he.lproj/Localizable.strings", ##"""
"WELCOME_TITLE" = "ברוכים הבאים, %1$@!";
"WELCOME_TITLE_PLAIN" = "ברוכים הבאים!";
"NEW_MESSAGE_BODY" = "יש לך %1$@ הודעות חדשות מאת %2$@.";
"NEW_MESSAGE_BODY_ONE" = "יש לך הודעה חדשה מאת %1$@.";
"STOCK_NOTIFICATION_BODY" = "מניית %1$@ עלתה ב-%2$@ נקודות ונסגרה ב-%3$@, עלייה של %4$@%% ביום המסחר.";

"""##),
    ("example-app/id.lproj/Localizable.strings", ##"""
"WELCOME_TITLE" = "Selamat datang, %1$@!";
"WELCOME_TITLE_PLAIN" = "Selamat datang!";
"NEW_MESSAGE_BODY" = "Anda punya %1$@ pesan baru dari %2$@.";
"NEW_MESSAGE_BODY_ONE" = "Anda punya pesan baru dari %1$@.";
"STOCK_NOTIFICATION_BODY" = "%1$@ naik %2$@ poin dan ditutup di %3$@, naik %4$@%% dalam sehari.";

"""##),
    ("example-app/pt-BR.lproj/Localizable.strings", ##"""
"WELCOME_TITLE" = "Boas-vindas, %1$@!";
"WELCOME_TITLE_PLAIN" = "Boas-vindas!";
"NEW_MESSAGE_BODY" = "Você tem %1$@ novas mensagens de %2$@.";
"NEW_MESSAGE_BODY_ONE" = "Você tem uma nova mensagem de %1$@.";
"STOCK_NOTIFICATION_BODY" = "%1$@ subiu %2$@ pontos e fechou em %3$@, alta de %4$@%% no dia.";

"""##),
    ("example-app/res/raw/keep.xml", ##"""
<?xml version="1.0" encoding="utf-8"?>
<!-- No code refers to these strings: the FCM SDK looks them up by key. Without this file, the resource shrinker
     would remove them from release builds. -->
<resources xmlns:tools="http://schemas.android.com/tools"
  tools:keep="@string/welcome_title,
    @string/welcome_title_plain,
    @string/new_message_body,
    @string/new_message_body_one,
    @string/STOCK_NOTIFICATION_BODY" />

"""##),
    ("example-app/res/values-de/strings.xml", ##"""
<?xml version="1.0" encoding="utf-8"?>
<resources>
  <string name="channel_general">Allgemein</string>
  <string name="welcome_title">Willkommen, %1$s!</string>
  <string name="welcome_title_plain">Willkommen!</string>
  <string name="new_message_body">Du hast %1$s neue Nachrichten von %2$s.</string>
  <string name="new_message_body_one">Du hast eine neue Nachricht von %1$s.</string>
  <string name="STOCK_NOTIFICATION_BODY">%1$s gewann %2$s Punkte und schloss bei %3$s, ein Tagesplus von %4$s %%.</string>
</resources>

"""##),
    ("example-app/res/values-es/strings.xml", ##"""
<?xml version="1.0" encoding="utf-8"?>
<resources>
  <string name="channel_general">General</string>
  <string name="welcome_title">¡Te damos la bienvenida, %1$s!</string>
  <string name="welcome_title_plain">¡Te damos la bienvenida!</string>
  <string name="new_message_body">Tienes %1$s mensajes nuevos de %2$s.</string>
  <string name="new_message_body_one">Tienes un mensaje nuevo de %1$s.</string>
  <string name="STOCK_NOTIFICATION_BODY">%1$s ganó %2$s puntos y cerró en %3$s, una subida del %4$s %% en el día.</string>
</resources>

"""##),
    ("example-app/res/values-fr/strings.xml", ##"""
<?xml version="1.0" encoding="utf-8"?>
<resources>
  <string name="channel_general">Général</string>
  <string name="welcome_title">Bienvenue, %1$s!</string>
  <string name="welcome_title_plain">Bienvenue!</string>
  <string name="new_message_body">%2$s vous a envoyé %1$s nouveaux messages.</string>
  <string name="new_message_body_one">%1$s vous a envoyé un nouveau message.</string>
  <string name="STOCK_NOTIFICATION_BODY">%1$s gagne %2$s points et clôture à %3$s, en hausse de %4$s %% sur la journée.</string>
</resources>

"""##),
    ("example-app/res/values-in/strings.xml", ##"""
<?xml version="1.0" encoding="utf-8"?>
<resources>
  <string name="channel_general">Umum</string>
  <string name="welcome_title">Selamat datang, %1$s!</string>
  <string name="welcome_title_plain">Selamat datang!</string>
  <string name="new_message_body">Anda punya %1$s pesan baru dari %2$s.</string>
  <string name="new_message_body_one">Anda punya pesan baru dari %1$s.</string>
  <string name="STOCK_NOTIFICATION_BODY">%1$s naik %2$s poin dan ditutup di %3$s, naik %4$s%% dalam sehari.</string>
</resources>

"""##),
    ("example-app/res/values-iw/strings.xml", ##"""
<?xml version="1.0" encoding="utf-8"?>
<resources>
  <string name="channel_general">כללי</string>
  <string name="welcome_title">ברוכים הבאים, %1$s!</string>
  <string name="welcome_title_plain">ברוכים הבאים!</string>
  <string name="new_message_body">יש לך %1$s הודעות חדשות מאת %2$s.</string>
  <string name="new_message_body_one">יש לך הודעה חדשה מאת %1$s.</string>
  <string name="STOCK_NOTIFICATION_BODY">מניית %1$s עלתה ב-%2$s נקודות ונסגרה ב-%3$s, עלייה של %4$s%% ביום המסחר.</string>
</resources>

"""##),
    ("example-app/res/values-pt-rBR/strings.xml", ##"""
<?xml version="1.0" encoding="utf-8"?>
<resources>
  <string name="channel_general">Geral</string>
  <string name="welcome_title">Boas-vindas, %1$s!</string>
  <string name="welcome_title_plain">Boas-vindas!</string>
  <string name="new_message_body">Você tem %1$s novas mensagens de %2$s.</string>
  <string name="new_message_body_one">Você tem uma nova mensagem de %1$s.</string>
  <string name="STOCK_NOTIFICATION_BODY">%1$s subiu %2$s pontos e fechou em %3$s, alta de %4$s%% no dia.</string>
</resources>

"""##),
    ("example-app/res/values-zh-rTW/strings.xml", ##"""
<?xml version="1.0" encoding="utf-8"?>
<resources>
  <string name="channel_general">一般</string>
  <string name="welcome_title">歡迎，%1$s！</string>
  <string name="welcome_title_plain">歡迎！</string>
  <string name="new_message_body">%2$s 傳來 %1$s 則新訊息。</string>
  <string name="new_message_body_one">%1$s 傳來一則新訊息。</string>
  <string name="STOCK_NOTIFICATION_BODY">%1$s 上漲 %2$s 點，收在 %3$s，單日漲幅 %4$s%%。</string>
</resources>

"""##),
    ("example-app/res/values/strings.xml", ##"""
<?xml version="1.0" encoding="utf-8"?>
<resources>
  <string name="app_name" translatable="false">Example</string>
  <!-- The name of the notification channel "general" in the system settings. -->
  <string name="channel_general">General</string>
  <!-- %1$s: the user's own name. -->
  <string name="welcome_title">Welcome, %1$s!</string>
  <!-- Used if the user's name is unknown. -->
  <string name="welcome_title_plain">Welcome!</string>
  <!-- %1$s: the number of messages, two or more. %2$s: the sender. -->
  <string name="new_message_body">You have %1$s new messages from %2$s.</string>
  <!-- Used for exactly one message. %1$s: the sender. -->
  <string name="new_message_body_one">You have a new message from %1$s.</string>
  <!-- %1$s: the company. %2$s: points gained. %3$s: closing price. %4$s: gain in percent. -->
  <string name="STOCK_NOTIFICATION_BODY">%1$s gained %2$s points to close at %3$s, up %4$s%% on the day.</string>
</resources>

"""##),
    ("example-app/zh-Hant.lproj/Localizable.strings", ##"""
"WELCOME_TITLE" = "歡迎，%1$@！";
"WELCOME_TITLE_PLAIN" = "歡迎！";
"NEW_MESSAGE_BODY" = "%2$@ 傳來 %1$@ 則新訊息。";
"NEW_MESSAGE_BODY_ONE" = "%1$@ 傳來一則新訊息。";
"STOCK_NOTIFICATION_BODY" = "%1$@ 上漲 %2$@ 點，收在 %3$@，單日漲幅 %4$@%%。";

"""##),
  ]
}
