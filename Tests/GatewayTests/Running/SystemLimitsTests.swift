import Testing

@testable import Gateway

/// A limit of the system that would make the gateway wait forever is named at the start.
struct ThreadShortageTests {
  @Test func saysWhatIsMissingAndWhatToDo() {
    let shortage = ThreadShortage.find(20) { wanted in min(wanted, 7) }
    #expect(
      shortage?.description
        == "the system lets this process have only 7 more threads, and it needs 20: raise the limit on "
        + "processes (pids of the container, ulimit -u, or TasksMax of systemd)")
    #expect(ThreadShortage.find(7) { _ in 7 }?.description == nil)
  }

  @Test func countsTheThreadsOfAppsUpToTheMaximum() {
    #expect(ThreadShortage.serving(apps: 1_000)?.description == nil)
  }
}
