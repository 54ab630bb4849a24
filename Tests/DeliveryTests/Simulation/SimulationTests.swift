import Foundation
import Outbox
import Testing

@testable import Delivery

/// Many small simulations; a failure names its seed. `DRAGOMAN_SIMULATION_SEEDS` sets their number.
@Suite struct SimulationTests {
  /// Each test runs a share of the seeds, so that the shares run side by side.
  static let shares: UInt64 = 8

  static var seedCount: UInt64 {
    ProcessInfo.processInfo.environment["DRAGOMAN_SIMULATION_SEEDS"].flatMap { UInt64($0) } ?? 500
  }

  @Test(arguments: 0..<shares)
  func everyDeliveryEndsInOneFinalStateWithoutViolations(share: UInt64) {
    for seed in stride(from: share, to: Self.seedCount, by: Int(Self.shares)) {
      var simulation = DeliverySimulation(seed: seed)
      simulation.run()
      let violations = Set(simulation.violations)
      let openCount = simulation.queue.openCount
      #expect(violations == [], "seed \(seed)")
      #expect(openCount == 0, "seed \(seed)")
      #expect(simulation.queue.rows.count == DeliverySimulation.deliveryCount, "seed \(seed)")
      if !violations.isEmpty || openCount > 0 { return }
    }
  }

  @Test func leasesEndInEveryStateOfADelivery() {
    var (claimsAgain, duplicates) = ([DeliverySimulation.HeldState: Int](), 0)
    for seed in stride(from: UInt64(0), to: 200, by: 2) {
      var simulation = DeliverySimulation(seed: seed)
      simulation.run()
      claimsAgain.merge(simulation.claimsAgain, uniquingKeysWith: +)
      duplicates += simulation.ledger.duplicates
    }
    for state in DeliverySimulation.HeldState.allCases { #expect(claimsAgain[state] ?? 0 > 0, "\(state)") }
    #expect(duplicates > 10)
  }

  @Test func sameSeedGivesTheSameRun() {
    var (first, second) = (DeliverySimulation(seed: 7), DeliverySimulation(seed: 7))
    first.run()
    second.run()
    #expect(first.fcm.sends == second.fcm.sends)
    #expect(first.queue.rows.mapValues(\.state) == second.queue.rows.mapValues(\.state))
  }
}
