#!/usr/bin/env python3
"""Checks the classes of numbers, into which Dragoman divides for plurals, with Babel's copy of CLDR's plural rules.

    pip install 'Babel>=2.18,<2.19'
    python3 Tests/oracles/plurals_oracle.py write FOLDER
    dragoman dev --catalog FOLDER/catalog.yaml
    python3 Tests/oracles/plurals_oracle.py compare DRAGOMAN FOLDER http://127.0.0.1:8080

`write` makes a catalog whose languages are all that Babel knows, with a template `new_message`. `compare` asks
`dragoman plurals` for the classes of all languages together, of a language for each different rule, and of random sets,
and the gateway's preview for the key of each of several thousand numbers. It checks that:

- each class has the categories that Babel has for its numbers, in every language,
- the key of each number is that of the class with Babel's categories of the number, so that no class mixes categories,
- no two classes could be one: they differ in a language, or one is that of 0,
- each class is named after its smallest number.

Exits with 1 if a check fails, and with 2 if the checks cannot run.
"""

import http.client
import json
import os
import random
import subprocess
import sys
import urllib.parse

import babel
from babel import localedata
from babel.core import Locale

# Where the toolchain's ICU differs from Babel: the language, and the language whose rule it has in ICU. Babel takes the
# rules of these from their parent locales (pt-AO from pt-PT, ht from fr-HT); ICU and the phones, only from the language.
# The categories of 0 differ; in ht, also those of 1 and of the multiples of 1,000,000.
KNOWN_DIFFERENCES = {
    **{f"pt-{region}": "pt" for region in "AO CH CV GQ GW LU MO MZ ST TL".split()},
    "ht": "ja", "ht-HT": "ja",
}

SETS = 40
NEGATIVES = 100
NUMBER_MAX = 10**15
SECONDS_MAX = 60

failures = 0


def check(holds, what, problem):
    global failures
    if not holds:
        failures += 1
        print(f"FAIL {what}: {problem}")


def tag(identifier):
    return identifier.replace("_", "-")


def locales():
    return [name for name in localedata.locale_identifiers() if name != "root"]


class Rules:
    """Babel's categories, computed once for each number and each of the different rules."""

    def __init__(self):
        self.indices, self.rules = {}, []
        known = {}
        for name in locales():
            rule = Locale.parse(name).plural_form
            if tag(name) in KNOWN_DIFFERENCES:
                own, rule = rule, Locale.parse(KNOWN_DIFFERENCES[tag(name)]).plural_form
                check(own.rules != rule.rules, f"known difference of {tag(name)}", "it is none; remove it")
            source = str(sorted(rule.rules.items()))
            if source not in known:
                known[source] = len(self.rules)
                self.rules.append(rule)
            self.indices[tag(name)] = known[source]
        self.memory = {}

    def categories(self, number, languages):
        if number not in self.memory:
            self.memory[number] = [rule(number) for rule in self.rules]
        categories = self.memory[number]
        return tuple(categories[self.indices[language]] for language in languages)

    def representatives(self):
        """A language for each of the different rules."""
        return list({index: language for language, index in self.indices.items()}.values())


def all_languages():
    """Every language, and those of its regions and scripts whose rule is not the language's."""
    names = locales()
    rules = {name: Locale.parse(name).plural_form.rules for name in names}
    return [tag(name) for name in names if "_" not in name or rules[name] != rules[name.split("_")[0]]]


def numbers(random_numbers):
    """All boundaries of CLDR's rules, which compare numbers below 101 and remainders by up to 1,000,000; and others."""
    found = set(range(1001))
    found.update(n * 1000 for n in range(1001))
    found.update(n * 1_000_000 for n in range(1, 200))
    for exponent in range(3, 16):
        for factor in (1, 2, 5, 9):
            found.update(factor * 10**exponent + offset for offset in (-1, 0, 1, 2, 3, 11, 21))
    found.update(random_numbers.randrange(10**random_numbers.randrange(3, 16)) for _ in range(500))
    return sorted(number for number in found if number <= NUMBER_MAX)


def catalog(languages):
    return f"""version: 1
resources: {{android: res}}
plurals: {{languages: {json.dumps(languages)}}}
templates:
  new_message:
    params: {{count: {{type: integer}}}}
    body: {{android: messages, ios: MESSAGES, args: [count], plural: count}}
    fallback: {{body: You have new messages.}}
"""


def write_text(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write(folder):
    values = os.path.join(folder, "res", "values")
    os.makedirs(values)
    write_text(
        os.path.join(values, "strings.xml"),
        '<resources><plurals name="messages"><item quantity="other">%d messages</item></plurals></resources>\n')
    write_text(os.path.join(folder, "catalog.yaml"), catalog(all_languages()))


def classes_of(dragoman, folder, languages):
    path = os.path.join(folder, "set.yaml")
    write_text(path, catalog(languages))
    # It exits with 1, since the resources lack the texts of the classes.
    run = subprocess.run(
        [dragoman, "plurals", "--catalog", path, "--format", "json"], text=True, capture_output=True,
        timeout=SECONDS_MAX)
    if not run.stdout:
        sys.exit(f"dragoman plurals printed nothing: {run.stderr}")
    return json.loads(run.stdout)["classes"]


def compare_classes(rules, classes, languages, sample):
    """Checks the classes of a set of languages, and returns Babel's: the smallest number by categories, without 0."""
    what = f"classes of {' '.join(languages[:8])}{' …' if len(languages) > 8 else ''}"
    smallest = {}
    for number in sample:
        if number:
            smallest.setdefault(rules.categories(number, languages), number)
    check(
        [found["smallest"] for found in classes] == [0, *sorted(smallest.values())], what,
        f"{[found['smallest'] for found in classes]} instead of {[0, *sorted(smallest.values())]}")
    for found in classes:
        printed = tuple(found["categories"].get(language) for language in languages)
        for number in [found["smallest"], *found["examples"]]:
            expected = rules.categories(number, languages)
            differing = [
                f"{language}: {ours} instead of {theirs}"
                for language, ours, theirs in zip(languages, printed, expected) if ours != theirs]
            check(not differing, f"{what}: categories of {number}", "; ".join(differing[:20]))
    vectors = [tuple(found["categories"].items()) for found in classes if found["smallest"]]
    check(len(set(vectors)) == len(vectors), what, "two classes have one category in each language")
    return smallest


class Gateway:
    def __init__(self, url):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=SECONDS_MAX)

    def keys(self, number):
        body = {"args": {"count": number}, "locales": ["en"], "platforms": ["android"]}
        self.connection.request(
            "POST", "/v1/templates/new_message/preview", json.dumps(body), {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        text = response.read()
        if response.status != 200:
            sys.exit(f"the preview of {number} answered {response.status}: {text.decode()}")
        message = json.loads(text)["message"]
        return (message["android"]["notification"]["body_loc_key"],
                message["apns"]["payload"]["aps"]["alert"]["loc-key"])


def compare(dragoman, folder, url):
    random_numbers = random.Random(16)
    rules = Rules()
    sample = numbers(random_numbers)
    languages = all_languages()
    smallest = compare_classes(rules, classes_of(dragoman, folder, languages), languages, sample)

    singles = [[language] for language in rules.representatives()]
    sets = [random_numbers.sample(sorted(rules.indices), random_numbers.randrange(2, 60)) for _ in range(SETS)]
    for members in singles + sets:
        compare_classes(rules, classes_of(dragoman, folder, members), members, sample)

    gateway = Gateway(url)
    chosen = sample + [-number for number in random_numbers.sample(sample, NEGATIVES)]
    for number in chosen:
        expected = smallest[rules.categories(abs(number), languages)] if number else 0
        keys = gateway.keys(number)
        check(
            keys == (f"messages_n{expected}", f"MESSAGES_n{expected}"), f"key of {number}",
            f"{keys} instead of _n{expected}")
    print(
        f"Babel {babel.__version__}: {len(languages)} languages with {len(rules.rules)} different rules, "
        f"{len(smallest) + 1} classes of {len(sample)} numbers; {len(singles)} single languages and {len(sets)} sets; "
        f"{len(chosen)} previews")
    print(f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", folder]:
            write(folder)
        case ["compare", dragoman, folder, url]:
            try:
                sys.exit(compare(dragoman, folder, url))
            except (OSError, http.client.HTTPException, subprocess.TimeoutExpired) as error:
                print(f"cannot compare with {url}: {error}", file=sys.stderr)
                sys.exit(2)
        case _:
            print(__doc__, file=sys.stderr)
            sys.exit(2)
