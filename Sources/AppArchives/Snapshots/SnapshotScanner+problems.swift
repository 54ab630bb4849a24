internal import AppStrings
internal import JSON

/// What a snapshot says beside the strings: what is wrong with the app's files, and which keys no message
/// reaches.
extension SnapshotScanner {
  /// A list of problems; nil if it is damaged.
  mutating func problems() -> [ResourceProblem]? {
    var problems: [ResourceProblem] = []
    let isComplete = list { scanner in
      guard let problem = scanner.problem() else { return false }
      problems.append(problem)
      return true
    }
    return isComplete ? problems : nil
  }

  /// A problem without a known kind, as older versions wrote all of them, is a remark.
  private mutating func problem() -> ResourceProblem? {
    var (file, message) = ("", "")
    var (kind, table, key): (String?, String?, String?) = (nil, nil, nil)
    var line: Int?
    let isComplete = object { name, scanner in
      switch name {
      case "file": return scanner.take(string: &file)
      case "line": return scanner.take(line: &line)
      case "message": return scanner.take(string: &message)
      case "kind": return scanner.take(optional: &kind)
      case "table": return scanner.take(optional: &table)
      case "key": return scanner.take(optional: &key)
      default: return scanner.skipValue()
      }
    }
    guard isComplete else { return nil }
    return ResourceProblem(
      kind: kind.flatMap { ResourceProblem.Kind(rawValue: $0) } ?? .remark, file: file, line: line,
      table: table, key: key, FindingText(english: message))
  }

  /// The keys that are out of reach, of those that are wanted; nil if they are damaged.
  mutating func outOfReach(
    _ isWanted: (ExactText) -> Bool
  ) -> [ExactText: StringResources.OutOfReach]? {
    var places: [ExactText: StringResources.OutOfReach] = [:]
    let isComplete = object { name, scanner in
      let key = ExactText(name)
      guard isWanted(key) else { return scanner.skipValue() }
      guard let place = scanner.place() else { return false }
      places[key] = place
      return true
    }
    return isComplete ? places : nil
  }

  /// The tables and folders that do not reach the app; nil if they are damaged.
  mutating func elsewhere() -> [StringResources.Elsewhere]? {
    var places: [StringResources.Elsewhere] = []
    let isComplete = list { scanner in
      var (path, reason) = ("", "")
      var owner: String?
      let isPlace = scanner.object { name, scanner in
        switch name {
        case "path": return scanner.take(string: &path)
        case "module", "bundle": return scanner.take(optional: &owner)
        case "reason": return scanner.take(string: &reason)
        default: return scanner.skipValue()
        }
      }
      places.append(.init(path: path, owner: owner, reason: reason))
      return isPlace
    }
    return isComplete ? places : nil
  }

  private mutating func place() -> StringResources.OutOfReach? {
    var (table, file) = ("", "")
    var line: Int?
    var owner: String?
    var reason: String?
    let isComplete = object { name, scanner in
      switch name {
      case "module", "bundle": return scanner.take(optional: &owner)
      case "reason": return scanner.take(optional: &reason)
      case "table": return scanner.take(string: &table)
      case "file": return scanner.take(string: &file)
      case "line": return scanner.take(line: &line)
      default: return scanner.skipValue()
      }
    }
    let place = reason.map { StringResources.Elsewhere(path: file, owner: owner, reason: $0) }
    return isComplete ? StringResources.OutOfReach(table: table, file: file, line: line, place: place) : nil
  }

  /// A line's number, or `null`.
  private mutating func take(line: inout Int?) -> Bool {
    guard let number = scalar() else { return false }
    line = Int(number)
    return line != nil || number == "null"
  }
}
