import Glibc
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

/// Callers' connections leave the files and sockets that everything else needs.
@Suite(.serialized) struct OpenFileLimitTests {
  @Test(arguments: [
    (10_000, 1_048_576, 10_000), (10_000, 4_096, 3_584), (10_000, 1_024, 512), (100, 1_024, 100), (10, 3, 2),
    (10, 0, 1), (1_000_000, .max, 1_000_000),
  ])
  func limitsTheConnections(wanted: Int, limit: Int, expected: Int) {
    #expect(OpenFileLimit.connections(wanted, of: limit) == expected)
  }

  @Test func isRaisedAsFarAsTheSystemAllows() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var before = rlimit()
    #expect(getrlimit(resource, &before) == 0)
    defer { setrlimit(resource, &before) }
    var low = before
    low.rlim_cur = min(2_000, before.rlim_max)
    #expect(setrlimit(resource, &low) == 0)
    OpenFileLimit.raise()
    #expect(OpenFileLimit.current == Int(clamping: before.rlim_max))
  }
}
