/// A `.strings` or `.stringsdict` file, read into entries.
struct StringsFile {
  /// In file order; of equal keys only the last.
  var entries: [StringEntry] = []
  var problems: [ResourceProblem] = []

  init(_ bytes: [UInt8], file: AppleFolderSearch.TableFile, limits: AppleResourceLimits) {
    // Foundation rejects an empty file, but Xcode ships a dictionary without entries for it (swift-build,
    // CopyStringsFileTaskAction).
    if Self.isEmpty(bytes) {
      add(
        .remark, file, line: nil, key: nil,
        FindingText(english: "the file is empty; Xcode ships it as a table without entries"))
      return
    }
    let document: PropertyListDocument
    do throws(PropertyListError) {
      document = try PropertyListDocument.read(bytes, limits: limits)
    } catch {
      let conflict = ConflictMarkers.line(in: bytes)
      problems.append(
        .unreadable(
          file, line: conflict ?? error.line,
          reason: conflict == nil ? error.reason : FindingText(.mergeConflict)))
      return
    }
    let keyLines = document.remarks.isEmpty ? [] : Self.keyLines(of: document.root)
    let conflict = document.remarks.contains(where: \.losesText) ? ConflictMarkers.line(in: bytes) : nil
    for (index, remark) in document.remarks.enumerated() {
      // A text may have the same fault several times.
      guard index == 0 || document.remarks[index - 1] != remark else { continue }
      let key = remark.losesText ? nil : remark.line.flatMap { Self.key(at: $0, keyLines) }
      if remark.losesText, let conflict {
        add(.unparsable, file, line: conflict, key: nil, FindingText(.mergeConflict))
      } else {
        add(remark.losesText ? .unparsable : .suspicious, file, line: remark.line, key: key, remark.text)
      }
    }
    for duplicate in document.root.duplicates {
      let key = duplicate.key.shortened
      add(
        .duplicateKey, file, line: duplicate.line, key: duplicate.key,
        duplicate.firstLine.map { FindingText(.keyInLine, [key, $0]) } ?? FindingText(.keyTwice, [key]))
    }
    entries.reserveCapacity(document.root.members.count)
    for member in document.root.members { add(member, file) }
  }

  /// Whether a file has nothing but a byte order mark.
  private static func isEmpty(_ bytes: [UInt8]) -> Bool {
    bytes.isEmpty || bytes == [0xFF, 0xFE] || bytes == [0xFE, 0xFF] || bytes == [0xEF, 0xBB, 0xBF]
  }

  private static func keyLines(of root: PropertyListDictionary) -> [(line: Int, key: String)] {
    root.members.compactMap { member in member.line.map { ($0, member.key) } }.sorted { $0.0 < $1.0 }
  }

  /// The last key that begins on a line or before it. O(log n).
  private static func key(at line: Int, _ keyLines: [(line: Int, key: String)]) -> String? {
    var (low, high) = (0, keyLines.count)
    while low < high {
      let middle = (low + high) / 2
      if keyLines[middle].line <= line { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : keyLines[low - 1].key
  }

  private mutating func add(_ member: PropertyListDictionary.Member, _ file: AppleFolderSearch.TableFile) {
    let value: StringEntry.Value
    var formatKey: String?
    var pluralFormat: PluralFormat?
    switch member.value {
    case .string(let text): value = .string(text)
    case .dictionary(let rules):
      let variations = AppleVariations(stringsDict: rules)
      value = .plural(variations.forms)
      formatKey = variations.formatKey
      pluralFormat = variations.pluralFormat
      // Only this entry is affected, so the fault matters only if a push message uses its key.
      for fault in variations.faults {
        add(
          .suspicious, file, line: member.line, key: member.key,
          FindingText(.ofEntry, [member.key.shortened, fault]))
      }
    case .array(let elements) where elements.allSatisfy { $0.string != nil }:
      value = .array(elements.compactMap(\.string))
    default:
      let text = FindingText(.noTextValue, [member.key.shortened, member.value.kind])
      add(.unparsable, file, line: member.line, key: member.key, text)
      return
    }
    entries.append(
      StringEntry(
        key: member.key, value: value, file: file.path, line: member.line, formatKey: formatKey,
        pluralFormat: pluralFormat))
  }

  private mutating func add(
    _ kind: ResourceProblem.Kind, _ file: AppleFolderSearch.TableFile, line: Int?, key: String?,
    _ text: FindingText
  ) {
    problems.append(
      ResourceProblem(kind: kind, file: file.path, line: line, table: file.language, key: key, text))
  }
}

extension ResourceProblem {
  /// A problem with a whole file, which then has no entries.
  static func unreadable(
    _ file: AppleFolderSearch.TableFile, line: Int?, reason: any FindingValue
  ) -> ResourceProblem {
    let loss: AppleFileText = file.format == .catalog ? .noStrings : .rawKeys
    return ResourceProblem(
      kind: .unparsable, file: file.path, line: line, table: file.language,
      FindingText(.joined, [reason, loss]))
  }
}
