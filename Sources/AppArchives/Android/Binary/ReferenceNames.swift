internal import Synchronization

/// The names of strings by resource id, over the tables of an app and its splits, which share their ids.
final class ReferenceNames: Sendable {
  private let parts: [(table: ResourceTable, package: ResourceTable.Package)]
  private let countMax: Int
  /// Made at the first reference; most apps have none.
  private let names = Mutex<[Int: String]?>(nil)

  /// No more than `countMax` names are found.
  init(_ parts: [(table: ResourceTable, package: ResourceTable.Package)], countMax: Int) {
    (self.parts, self.countMax) = (parts, countMax)
  }

  /// The name of the string with an id; nil if the app has no such string, as for those of the system.
  subscript(id: Int) -> String? {
    names.withLock { names in
      let known = names ?? read()
      names = known
      return known[id]
    }
  }

  private func read() -> [Int: String] {
    var names: [Int: String] = [:]
    for (table, package) in parts {
      for values in package.values where values.kind == .string {
        let base = package.id << 24 | values.typeID << 16
        for position in 0..<values.capacity where names.count < countMax {
          guard let place = values.place(table.bytes, at: position), names[base | place.index] == nil,
            let key = ResourceEntry.key(table.bytes, at: place.offset), package.keys.indices.contains(key)
          else { continue }
          names[base | place.index] = package.keys[key]
        }
      }
    }
    return names
  }
}
