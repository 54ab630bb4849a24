import Outbox
import Testing

@testable import Delivery

/// Many small worlds; a failing one names its seed.
struct SimulationTests {
  @Test(arguments: 0..<200 as Range<UInt64>)
  func everyDeliveryEndsInOneFinalStateAndNoRuleIsBroken(seed: UInt64) {
    var simulation = DeliverySimulation(seed: seed)
    simulation.run()
    #expect(simulation.violations == [], "seed \(seed)")
    #expect(simulation.rows.count == 80)
    #expect(simulation.rows.values.filter { !$0.state.isFinal }.isEmpty, "seed \(seed)")
    #expect(simulation.sends >= 40)
  }

  @Test func sameSeedGivesTheSameRun() {
    var (first, second) = (DeliverySimulation(seed: 7), DeliverySimulation(seed: 7))
    first.run()
    second.run()
    #expect(first.sends == second.sends)
    #expect(first.rows.mapValues(\.state) == second.rows.mapValues(\.state))
  }
}
