import Catalog
import CatalogCheck
import Clock
import Dispatch
import FCM
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// What a reload has replaced is freed where it holds nobody up.
@Suite(.blocking, .timeLimit(.minutes(1))) struct RetiredSnapshotTests {
  /// Says on which thread it is freed.
  private final class Witness: MessageSender {
    let freed: @Sendable (pthread_t) -> Void
    init(_ freed: @escaping @Sendable (pthread_t) -> Void) { self.freed = freed }
    deinit { freed(pthread_self()) }
    func send(_ body: [UInt8], completion: @escaping @Sendable (SendOutcome) -> Void) {}
  }

  private func snapshot(_ sender: any MessageSender) throws -> APIState.Snapshot {
    let catalog = try CheckedCatalog(
      try AppCatalog.load(file: "\(GatewayFixture.repository)/config/catalog.yaml"))
    return APIState.Snapshot(
      authenticator: Authenticator(clients: []),
      apps: [
        APIState.App(
          name: "default", catalog: catalog.catalog, resources: catalog.resources, report: catalog.report,
          projectID: "p", sender: sender)
      ], maxAgeMilliseconds: 86_400_000)
  }

  @Test func isFreedOnAThreadOfItsOwnOnceNoRequestHasIt() throws {
    let threads = Mutex<[pthread_t]>([])
    let done = DispatchSemaphore(value: 0)
    func witness() -> Witness {
      Witness { thread in
        threads.withLock { $0.append(thread) }
        done.signal()
      }
    }
    let state = APIState(try snapshot(witness()))
    var request: APIState.Snapshot? = state.snapshot
    state.replace(with: try snapshot(witness()), now: .now)
    #expect(request != nil && threads.withLock(\.isEmpty))
    request = nil
    done.wait()
    let own = pthread_self()
    #expect(threads.withLock { $0.map { pthread_equal($0, own) } } == [0])
    withExtendedLifetime(state) {}
  }
}
