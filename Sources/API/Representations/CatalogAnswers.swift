internal import Synchronization

/// The answers of one route about one catalog: one for each set of templates that a client may see.
final class CatalogAnswers: Sendable {
  private let made = Mutex<[[String]?: Representation]>([:])

  func answer(for principal: Principal, make: () -> Representation) -> Representation {
    if let known = made.withLock({ $0[principal.templates] }) { return known }
    let answer = make()
    made.withLock { $0[principal.templates] = answer }
    return answer
  }
}
