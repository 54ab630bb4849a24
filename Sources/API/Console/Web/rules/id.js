// Indonesian: what each rule of `dragoman check` finds, and what to do. The English of the first is above both.
export default {
  // No language has the key.
  MissingKey: ["Tidak ada bahasa yang memiliki kunci ini.", "Tambahkan teksnya ke aplikasi, atau perbaiki kunci di katalog."],
  // Android's values/ lacks the key that translations have.
  MissingDefaultKey: ["`values/` Android tidak memiliki kunci yang ada di terjemahan.", "Tambahkan teksnya ke `values/`."],
  // Some languages lack the key.
  MissingTranslation: ["Beberapa bahasa tidak memiliki kunci ini.", "Terjemahkan teksnya."],
  // An iPhone whose app does not know the key yet shows the raw key.
  MissingFallback: ["iPhone yang aplikasinya belum mengenal kunci ini menampilkan kunci mentah.", "Beri templat teks cadangan (`fallback`)."],
  // A numeric placeholder gets a string: Android crashes, and iOS shows garbage.
  StringFormatMatches: ["Penanda angka menerima teks: Android mogok, dan iOS menampilkan sampah.", "Tulis `%1$s` (Android) atau `%1$@` (iPhone)."],
  // A stray % or an unknown placeholder in a text that is formatted.
  StringFormatInvalid: ["Ada `%` lepas atau penanda tak dikenal dalam teks yang diformat.", "Tulis `%%` untuk tanda persen, atau perbaiki penandanya."],
  // The text has more placeholders than the template sends args.
  StringFormatCount: ["Teks memiliki lebih banyak penanda daripada nilai yang dikirim templat.", "Kirim nilai yang kurang, atau hapus penandanya."],
  // The text has placeholders, but the template sends no args, so it is shown unformatted.
  PercentWithoutArgs: ["Teks memiliki penanda, tetapi templat tidak mengirim nilai, sehingga teks tampil tanpa diformat.", "Sebutkan parameter di `args`, atau hapus penandanya."],
  // A loc key cannot look up a plural or an array.
  PluralKey: ["Kunci lokalisasi tidak dapat mencari bentuk jamak atau larik.", "Beri setiap bentuk kuncinya sendiri, dan pilih dengan `variants` atau `plural`."],
  // The app lacks the key for a class of numbers of a plural.
  PluralClassMissing: ["Aplikasi tidak memiliki kunci untuk satu kelas angka dari bentuk jamak.", "Jalankan `dragoman plurals --write`, lalu rilis aplikasi."],
  // No text for push messages can be made of a plural.
  PluralUnreadable: ["Teks untuk notifikasi tidak dapat dibuat dari bentuk jamak.", "Perbaiki bentuk jamaknya, lalu jalankan `dragoman plurals --write`."],
  // plurals.languages lacks a language of the app.
  PluralLanguage: ["`plurals.languages` tidak memuat satu bahasa aplikasi.", "Tambahkan bahasa itu, lalu jalankan `dragoman plurals --write`."],
  // A native string is missing or differs from its source: an ARB, JSON, XML or PO file.
  NativeDrift: ["Teks natif tidak ada atau berbeda dari sumbernya: berkas ARB, JSON, XML, atau PO.", "Jalankan `dragoman strings --write`, lalu rilis aplikasi."],
  // No native string can be made of a text.
  SourceUnsupported: ["Teks natif tidak dapat dibuat dari suatu teks.", "Tulis ulang teks di sumbernya agar kedua platform dapat menampilkannya."],
  // The placeholder belongs to the other platform.
  ForeignPlaceholder: ["Penanda ini milik platform lain.", "Tulis `%1$s` untuk Android dan `%1$@` untuk iPhone."],
  // A literal text wins over the loc key on Android.
  LiteralOverridesLocKey: ["Di Android, teks tetap mengalahkan kunci lokalisasi.", "Hapus teks tetap atau kuncinya."],
  // A message has a text of one language for all readers.
  LiteralText: ["Sebuah pesan memiliki teks satu bahasa untuk semua pembaca.", "Kirim kunci yang dimiliki semua bahasa aplikasi."],
  // The text is empty: Android drops the line, and iOS shows the raw key.
  EmptyValue: ["Teksnya kosong: Android membuang barisnya, dan iOS menampilkan kunci mentah.", "Terjemahkan, atau hapus entrinya."],
  // The text is its own key.
  TextIsKey: ["Teksnya sama dengan kuncinya sendiri.", "Tulis teks yang dimaksud."],
  // A placeholder broke in translation: a space, a letter of another script.
  PlaceholderDamaged: ["Penanda rusak saat diterjemahkan: ada spasi, atau huruf dari aksara lain.", "Tulis penanda seperti di teks sumber."],
  // The key cannot be the name of an Android resource.
  KeySyntax: ["Kunci ini tidak bisa menjadi nama sumber daya Android.", "Pakai huruf, angka, dan `_`, diawali huruf atau `_`."],
  // The Android build refuses the name of a resource.
  InvalidResourceName: ["Build Android menolak nama sumber daya.", "Ganti namanya, di aplikasi dan di katalog."],
  // The key is not in the app's Localizable table, where push notifications look.
  WrongTable: ["Kunci tidak berada di tabel `Localizable` aplikasi, tempat notifikasi mencari.", "Pindahkan ke `Localizable` aplikasi utama."],
  // The key is only in a module or bundle that does not reach the app.
  WrongBundle: ["Kunci hanya ada di modul atau bundel yang tidak masuk ke aplikasi.", "Pindahkan teks ke aplikasi, atau ke modul yang dipakainya."],
  // The platform's tools reject a resource file.
  UnparsableStrings: ["Alat platform menolak berkas sumber daya.", "Perbaiki berkas di tempat yang disebutkan."],
  // The name of a folder is not a locale in the platform's notation.
  LocaleFolder: ["Nama folder bukan bahasa dalam notasi platform.", "Ganti nama foldernya."],
  // The limits of the params allow a message beyond FCM's 4,096 bytes.
  MessageTooLarge: ["Batas parameter mengizinkan pesan melebihi 4.096 bita dari FCM.", "Turunkan `max_length` parameter, atau kirim lebih sedikit data."],
  // A release that the template may be sent to lacks the key.
  KeyNotInRelease: ["Rilis yang boleh menerima templat ini tidak memiliki kuncinya.", "Kirim templat hanya mulai rilis yang dapat menampilkannya: atur `since`."],
  // The build of an app gave the key an obfuscated name.
  KeyRenamed: ["Build aplikasi memberi kunci ini nama yang disamarkan.", "Kecualikan kunci dari penyamaran."],
  // The fallback has a %, and iOS formats it with the args.
  FallbackPercent: ["Teks cadangan memiliki `%`, dan iOS memformatnya dengan nilai-nilai.", "Tulis teks cadangan tanpa `%`."],
  // The text mixes placeholders with and without positions, or on Android has several without.
  MixedPositional: ["Teks mencampur penanda dengan dan tanpa posisi, atau di Android memiliki beberapa tanpa posisi.", "Beri setiap penanda posisi: `%1$s`, `%2$s`."],
  // The source text has positions, but a translation does not.
  ArgOrderChanged: ["Teks sumber memiliki posisi, tetapi sebuah terjemahan tidak.", "Beri setiap penanda posisinya seperti di teks sumber."],
  // A translation drops an arg that the source text shows.
  LostArg: ["Sebuah terjemahan menghilangkan nilai yang ditampilkan teks sumber.", "Tambahkan penandanya ke terjemahan."],
  // Users see a tag, an entity, an escape or a placeholder of another system.
  VisibleMarkup: ["Pengguna melihat tag, entitas, escape, atau penanda dari sistem lain.", "Tulis teks sebagaimana seharusnya dibaca."],
  // A translation is a copy of the source text.
  Untranslated: ["Sebuah terjemahan adalah salinan teks sumber.", "Terjemahkan, atau tandai teks sebagai tidak diterjemahkan."],
  // The text is in the letters of another language.
  WrongScript: ["Teks memakai huruf bahasa lain.", "Terjemahkan, atau pindahkan ke folder bahasanya."],
  // A plural form for several numbers does not show the number.
  NumberMissing: ["Bentuk jamak untuk beberapa angka tidak menampilkan angkanya.", "Tambahkan penanda angka ke bentuk itu."],
  // No phone looks for a folder's strings.
  UnreachableLocale: ["Tidak ada ponsel yang mencari teks di sebuah folder.", "Beri folder nama yang dicari ponsel, atau hapus."],
  // A folder or file looks like strings, but no build reads it.
  UnreadFile: ["Sebuah folder atau berkas tampak berisi teks, tetapi tidak dibaca build mana pun.", "Ganti namanya, atau hapus."],
  // Nothing keeps Android's resource shrinker from removing the key.
  ResourceShrinker: ["Tidak ada yang mencegah penyusut sumber daya Android membuang kunci ini.", "Jalankan `dragoman check --write-keep`."],
  // A key occurs twice, and only one of its texts is used.
  DuplicateKey: ["Sebuah kunci muncul dua kali, dan hanya satu teksnya yang dipakai.", "Simpan salah satunya."],
  // No text, no variant and no field uses a param.
  UnusedParam: ["Tidak ada teks, varian, atau bidang yang memakai sebuah parameter.", "Pakai di `args` atau di sebuah bidang, atau hapus."],
  // No translation shows an arg.
  UnusedArg: ["Tidak ada terjemahan yang menampilkan sebuah nilai.", "Hapus dari `args`, atau tambahkan penandanya ke teks."],
  // An arg can change the order of a right-to-left text.
  BidiUnsafe: ["Sebuah nilai dapat mengubah urutan teks kanan-ke-kiri.", "Tulis `bidi: isolate` pada parameter, atau di `defaults`."],
  // A translation is marked as new, stale or in need of review.
  StaleTranslation: ["Sebuah terjemahan ditandai baru, usang, atau perlu ditinjau.", "Minta ditinjau, lalu tandai sebagai sudah diterjemahkan."],
  // The text for a class of numbers is not what the plural says.
  PluralTextDiffers: ["Teks untuk satu kelas angka tidak sama dengan bentuk jamaknya.", "Jalankan `dragoman plurals --write`, atau perbaiki bentuk jamaknya."],
  // No phone uses a plural form.
  UnusedQuantity: ["Tidak ada ponsel yang memakai sebuah bentuk jamak.", "Hapus, atau beri kasus itu variannya sendiri."],
  // resources.locales and the languages of the app's strings differ.
  ShippedLocales: ["`resources.locales` dan bahasa teks aplikasi berbeda.", "Samakan daftar dan teksnya."],
  // A banner cuts the text.
  TextTooLong: ["Spanduk memotong teks ini.", "Taruh yang penting di depan, atau persingkat teksnya."],
  // Users who choose a language in the app may read the phone's.
  DeviceLanguage: ["Pengguna yang memilih bahasa di aplikasi mungkin membaca bahasa ponsel.", "Kirim `recipient.locale`, dan biarkan pengguna berlangganan topik bahasanya."],
  // The readers of a topic by language get the fallback, or nothing.
  TopicFallback: ["Pembaca topik per bahasa menerima teks cadangan, atau tidak menerima apa-apa.", "Perbaiki teks yang ditampilkan pratinjau sebagai teks cadangan."],
};
