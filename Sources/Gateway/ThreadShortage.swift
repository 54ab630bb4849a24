internal import HTTPClient

/// The system lets this process have fewer threads than it needs, so that it would wait forever for work that
/// never runs.
package struct ThreadShortage: CustomStringConvertible {
  /// What the gateway needs without any app.
  private static let threadsMin = 16

  /// Threads that there are to be had, and those that are needed.
  let found: Int
  let wanted: Int

  /// What is missing to start at all; nil if nothing is. Takes no lock and no other thread's help, so that it
  /// can be asked first of all.
  package static func atStart() -> ThreadShortage? { find(threadsMin, ThreadAllowance.probe) }

  /// What is missing for the threads of so many apps besides.
  static func serving(apps: Int) -> ThreadShortage? {
    find(threadsMin + min(apps, TransportPool.transportsMax), ThreadAllowance.probe)
  }

  static func find(_ wanted: Int, _ probe: (Int) -> Int) -> ThreadShortage? {
    let found = probe(wanted)
    return found < wanted ? ThreadShortage(found: found, wanted: wanted) : nil
  }

  package var description: String {
    "the system lets this process have only \(found) more threads, and it needs \(wanted): raise the limit on "
      + "processes (pids of the container, ulimit -u, or TasksMax of systemd)"
  }
}
