import Clock
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

  /// PRIORITY, SETTINGS, PING, WINDOW_UPDATE and an unknown type, and DATA without content.
  @Test(arguments: [
    ScriptedLink.Frame(type: 2, stream: 1, payload: [0, 0, 0, 3, 15]),
    ScriptedLink.Frame(type: ScriptedLink.settings),
    ScriptedLink.Frame(type: 6, payload: [1, 2, 3, 4, 5, 6, 7, 8]),
    ScriptedLink.Frame(type: 8, payload: [0, 0, 0, 1]),
    ScriptedLink.Frame(type: 0xBA, payload: [UInt8](repeating: 0, count: 100)),
    ScriptedLink.Frame(type: ScriptedLink.data, stream: 1),
    ScriptedLink.Frame(type: ScriptedLink.data, flags: 8, stream: 1, payload: [3, 0, 0, 0]),
  ])
  func aPeerThatSendsFramesWithoutAnAnswerLosesItsConnection(_ frame: ScriptedLink.Frame) throws {
    var limits = TransportLimits()
    limits.idleFrameBytesMax = 4_096
    let link = ScriptedLink()
    let connection = try #require(HTTP2Connection(link: link, limits: limits))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)
    defer { buffer.deallocate() }
    func request() throws {
      let destination = Destination(url: "http://127.0.0.1:1/")
      let exchange = HTTP2Exchange(
        TransportRequest(destination: destination, headers: HeaderList([]), body: []) { _ in }, now: .now)
      try #require(connection.session.begin(exchange))
      connection.write()
    }
    link.saySettings()
    try request()
    let frameBytes = 9 + frame.payload.count
    let most = (limits.idleFrameBytesMax - 100) / frameBytes
    // An answer that comes in many frames takes nothing of the bound, and its end renews it.
    link.sayHeaders(1, [(":status", "200")])
    for _ in 0..<1_000 { link.sayBody(1, "{}", ends: false) }
    for _ in 0..<most { link.push(frame) }
    while connection.end == nil, connection.read(into: buffer) { connection.write() }
    #expect(connection.end == nil)
    link.sayBody(1, "{}")
    #expect(connection.read(into: buffer))
    #expect(connection.session.takeEnded().count == 1)
    try request()
    for _ in 0..<(most + 100 / frameBytes + 2) {
      link.push(
        ScriptedLink.Frame(
          type: frame.type, flags: frame.flags, stream: frame.stream == 1 ? 3 : 0, payload: frame.payload))
    }
    while connection.end == nil, connection.read(into: buffer) { connection.write() }
    #expect(connection.end == "the peer sent 4096 bytes of frames that belong to no answer")
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
