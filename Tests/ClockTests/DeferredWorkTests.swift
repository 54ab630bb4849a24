import Clock
import Dispatch
import Synchronization
import Testing

/// Work that a thread puts off until the end of a task.
@Suite(.timeLimit(.minutes(1))) struct DeferredWorkTests {
  private final class Work: Sendable {
    private let count = Atomic<Int>(0)
    var timesPerformed: Int { count.load(ordering: .relaxed) }
    func perform() { count.add(1, ordering: .relaxed) }
  }

  @Test func workOutsideOfATaskIsPerformedAtOnce() {
    let work = Work()
    DeferredWork.perform(work.perform)
    #expect(work.timesPerformed == 1)
  }

  @Test func workIsPerformedAfterTheTask() {
    let works = [Work(), Work()]
    DeferredWork.afterwards {
      // Tasks within tasks belong to the first.
      DeferredWork.afterwards { DeferredWork.perform(works[0].perform) }
      DeferredWork.perform(works[1].perform)
      #expect(works.allSatisfy { $0.timesPerformed == 0 })
    }
    #expect(works.allSatisfy { $0.timesPerformed == 1 })
    DeferredWork.perform(works[0].perform)
    #expect(works[0].timesPerformed == 2)
  }

  @Test func anotherThreadIsNotDelayed() {
    let (mine, other) = (Work(), Work())
    DeferredWork.afterwards {
      DeferredWork.perform(mine.perform)
      let isDone = DispatchSemaphore(value: 0)
      DispatchQueue(label: "other").async {
        DeferredWork.perform(other.perform)
        isDone.signal()
      }
      isDone.wait()
      #expect(other.timesPerformed == 1)
      #expect(mine.timesPerformed == 0)
    }
    #expect(mine.timesPerformed == 1)
  }

  /// What is put off again by the work belongs to a task of its own.
  @Test func workCanHaveTasks() {
    let inner = Work()
    DeferredWork.afterwards {
      DeferredWork.perform { DeferredWork.afterwards { DeferredWork.perform(inner.perform) } }
    }
    #expect(inner.timesPerformed == 1)
  }
}
