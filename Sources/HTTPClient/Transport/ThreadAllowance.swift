internal import Clock
internal import Dispatch

/// How many more threads the system lets this process have.
package enum ThreadAllowance {
  /// Starts `wanted` threads for a moment, or as many as there are to be had; how many there were. Bounded by
  /// a few milliseconds.
  package static func probe(_ wanted: Int) -> Int { probe(wanted) { DetachedThread.start(named: $0, $1) } }

  static func probe(_ wanted: Int, start: TransportLoop.ThreadStart) -> Int {
    let (release, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var started = 0
    while started < wanted,
      start(
        "dragoman.probe",
        {
          release.wait()
          ended.signal()
        })
    {
      started += 1
    }
    for _ in 0..<started { release.signal() }
    for _ in 0..<started { ended.wait() }
    return started
  }
}
