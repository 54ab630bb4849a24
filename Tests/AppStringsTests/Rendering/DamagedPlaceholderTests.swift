import FCMMessage
import Testing

@testable import AppStrings

/// Placeholders that translators and translation programs broke.
@Suite struct DamagedPlaceholderTests {
  @Test(arguments: [
    ("%1 $s of votes", "%1 $s", "%1$s"), ("% 1 $ s de votos", "% 1 $ s", "%1$s"),
    ("1%$s dei voti", "1%$s", "%1$s"), ("%1$с голосов", "%1$с", "%1$s"), ("%1$ s de", "%1$ s", "%1$s"),
    ("% 2$s", "% 2$s", "%2$s"), ("%$1s", "%$1s", "%1$s"), ("%\u{661}$s من", "%\u{661}$s", "%1$s"),
    ("%1\u{200F}$s", "%1\u{200F}$s", "%1$s"), ("from %1$", "%1$", "%1$s"),
    ("تم إرسال %1$ من", "%1$", "%1$s"), ("%1$ sent it", "%1$ s", "%1$s"),
    ("От %с.", "%с", "%s"), ("de % s", "% s", "%s"), ("Hi %{name}", "%{name}", "%s"),
    ("Hi %(name)s", "%(name)s", "%s"), ("from %%1$s", "%%1$s", "%1$s"), ("%1$s, %2 $s", "%2 $s", "%2$s"),
  ])
  func areFoundOnAndroid(text: String, written: String, form: String) {
    let damage = DamagedPlaceholder.first(in: text, on: .android)
    #expect(damage == DamagedPlaceholder(text: written, form: form))
  }

  @Test(arguments: [
    ("%1 $@ of votes", "%1 $@", "%1$@"), ("1%$@", "1%$@", "%1$@"), ("de % @", "% @", "%@"),
    ("% 1 $ @", "% 1 $ @", "%1$@"), ("%1$ @", "%1$ @", "%1$@"), ("%１$@", "%１$@", "%1$@"),
  ])
  func areFoundOnIOS(text: String, written: String, form: String) {
    #expect(DamagedPlaceholder.first(in: text, on: .ios) == DamagedPlaceholder(text: written, form: form))
  }

  @Test(arguments: [
    "%1$s", "%1$S", "%1$-5s %2$,d", "%1$.2f", "%s %s", "%%", "100%% sure", "50% off", "5 % des voix",
    "5 % d'eau", "100% sure", "100 % s%1$s", "%1$s % de réduction", "%1$s%% of votes", "Only $5", "5$%s",
    "%1$tY", "%<s", "%n", "", "99%", "%1$d % d'eau", "％1$s", "50%% %1$s", "(100%)", "%1$s {name}",
  ])
  func areNotSeenInSoundTextsOfAndroid(text: String) {
    #expect(DamagedPlaceholder.first(in: text, on: .android) == nil)
  }

  @Test(arguments: ["%1$@", "%@ %@", "%1$#@n@", "%#@n@", "%ld", "%1$ld", "%1$.2f", "50% @home", "%d %%"])
  func areNotSeenInSoundTextsOfIOS(text: String) {
    #expect(DamagedPlaceholder.first(in: text, on: .ios) == nil)
  }

  @Test func quotesAtMostFortyCharacters() {
    let text = "%1" + String(repeating: " ", count: 100) + "$s"
    #expect(DamagedPlaceholder.first(in: text, on: .android)?.text.count == 40)
  }
}
