internal import JSON

/// Merges the entries of one configuration from the source sets that have it. In each variant of the app, the
/// first source set wins that the variant has.
struct AndroidLayers {
  /// The names of the app's variants; empty if there is only one.
  private let variants: [String]
  private var places: [AndroidResourceName: Int] = [:]
  private var claimed: [VariantSet] = []
  /// The variants that have each of `drafts`.
  private var shown: [VariantSet] = []
  /// The entries of all variants or of the first that has one.
  private(set) var drafts: [AndroidDraft] = []
  /// The strings that other variants have in place of those.
  private(set) var others: [ExactText: [AndroidDraft]] = [:]

  init(variants: [String]) { self.variants = variants }

  /// Adds the entries of the next source set. `members` are the variants that have it; nil stands for all.
  mutating func add(_ added: [AndroidDraft], of members: VariantSet?) {
    let all = VariantSet.first(max(1, variants.count))
    let members = members ?? all
    if drafts.isEmpty { places.reserveCapacity(added.count) }
    for draft in added {
      let name = AndroidResourceName(draft.entry)
      guard let place = places[name] else {
        places[name] = drafts.count
        claimed.append(members)
        shown.append(members)
        drafts.append(members == all ? draft : draft.of(members.names(variants)))
        continue
      }
      let left = members.subtracting(claimed[place])
      guard !left.isEmpty else { continue }
      claimed[place].formUnion(left)
      var other = draft.of(left.names(variants))
      if left.rawValue.trailingZeroBitCount < shown[place].rawValue.trailingZeroBitCount {
        swap(&other, &drafts[place])
        shown[place] = left
      }
      if name.kind == .string, others[name.key]?.count ?? 0 < StringTable.alternativesMax {
        others[name.key, default: []].append(other)
      }
    }
  }
}

extension AndroidDraft {
  fileprivate func of(_ variants: [String]) -> AndroidDraft {
    AndroidDraft(entry: entry.with(variants: variants), product: product, references: references)
  }
}
