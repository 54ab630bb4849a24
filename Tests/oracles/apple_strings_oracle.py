"""Compares `dragoman strings --ios` with what Foundation reads: apple_strings_oracle.py OURS.json FOUNDATION.json

Every language and key must be the same; so must every text that does not vary by number, device or width.
"""

import json
import sys


def main() -> int:
    ours = json.load(open(sys.argv[1], encoding="utf-8"))["locales"]
    foundation = json.load(open(sys.argv[2], encoding="utf-8"))
    differences = []
    count = 0
    for language in sorted(set(ours) | set(foundation)):
        left, right = ours.get(language, {}), foundation.get(language, {})
        for key in sorted(set(left) | set(right)):
            count += 1
            if key not in left or key not in right:
                differences.append(f"{language} {key!r}: only {'Foundation' if key in right else 'Dragoman'} has it")
                continue
            if left[key]["text"] != right[key]:
                differences.append(f"{language} {key!r}: {left[key]['text']!r} is {right[key]!r} in Foundation")
    for line in differences[:50]:
        print(line, file=sys.stderr)
    print(f"{count} entries in {len(foundation)} languages, {len(differences)} different")
    return 1 if differences or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
