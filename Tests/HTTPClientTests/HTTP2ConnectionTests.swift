import Foundation
import Glibc
import Synchronization
import Telemetry
import Testing

@testable import HTTPClient

/// What a connection waits for, and what happens without threads.
@Suite(.timeLimit(.minutes(1))) struct HTTP2ConnectionTests {
  @Test func aPartialRecordIsWaitedForAndNotReadAgainAndAgain() throws {
    let link = ScriptedLink()
    let connection = try #require(HTTP2Connection(link: link, limits: TransportLimits()))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
    defer { buffer.deallocate() }
    link.hasPartialRecord = true
    #expect(connection.mustRead)
    #expect(!connection.read(into: buffer))
    // Until the socket is readable again.
    #expect(!connection.mustRead)
    link.saySettings()
    #expect(connection.read(into: buffer))
    #expect(connection.session.hasSettings)
    #expect(!connection.mustRead)
    link.hasPartialRecord = false
    link.saySettings()
    link.receiveMax = 1
    #expect(connection.read(into: buffer))
    #expect(!connection.mustRead)
  }

  @Test func aThreadRunsWithItsName() async {
    let name = await withCheckedContinuation { continuation in
      let isStarted = DetachedThread.start(named: "dragoman.test") {
        let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        continuation.resume(returning: name)
      }
      if !isStarted { continuation.resume(returning: nil) }
    }
    #expect(name == "dragoman.test\n")
  }

  @Test func aLimitOnThreadsIsReported() async {
    await #expect(processExitsWith: .success) {
      // A thread's stack does not fit into the address space that is left.
      var none = rlimit(rlim_cur: 0, rlim_max: .max)
      guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &none) == 0 else { exit(1) }
      // Stacks that earlier threads left are used again, and used up.
      for _ in 0..<1000 {
        guard DetachedThread.start(named: "dragoman.test", { pause() }) else { exit(0) }
      }
      exit(1)
    }
  }

  @Test func requestsFailWithoutAThreadAndPassOnceThereIsOne() async throws {
    let attempts = Atomic<Int>(0)
    let transport = HTTPTransport(
      startThread: { name, run in
        attempts.wrappingAdd(1, ordering: .relaxed).newValue > 2 && DetachedThread.start(named: name, run)
      }, log: .silent)
    let destination = Destination(url: "http://127.0.0.1:1/")
    func send() async -> TransportError? {
      await withCheckedContinuation { continuation in
        transport.send(
          TransportRequest(destination: destination, headers: HeaderList([]), body: []) { result in
            if case .failure(let error) = result { continuation.resume(returning: error) }
          })
      }
    }
    #expect(await send() == .noThread)
    #expect(await send() == .noThread)
    let refused = await send()
    #expect(refused?.code == .connection)
    #expect(refused != .noThread)
    await transport.shutDown()
    #expect(await send() == .shuttingDown)
    // One that never sent anything has no thread to end.
    await HTTPTransport(log: .silent).shutDown()
  }
}
