/// A body that a connection is sending part by part.
struct StreamedAnswer {
  let source: any HTTPBodySource
  let waker: HTTPBodyWaker
  /// Otherwise, the connection's end is the body's.
  let isChunked: Bool
  let sequence: UInt64
  /// The source may have more, for which there was no room.
  var hasMore = false
}

extension Connection {
  /// The output that may wait before the source is asked for more.
  private static let streamedOutputBytesMax = 65_536
  /// What is read behind a request whose answer is being streamed.
  static let streamingBacklogBytesMax = 65_536

  /// The head of the answer is in the output.
  func beginStream(_ source: any HTTPBodySource, isChunked: Bool, sequence: UInt64) {
    let waker = HTTPBodyWaker { [loop, registration] in loop.wake(registration) }
    stream = StreamedAnswer(source: source, waker: waker, isChunked: isChunked, sequence: sequence)
    machine.streamBegan(idleInterval: source.idleInterval.nanoseconds, now: loop.now)
    source.begin(waker)
    waker.wake()
  }

  /// Moves parts of the body to the output while that has room.
  func moveStream() {
    guard isOpen, let current = stream else { return }
    // The client no longer waits for the rest.
    guard !machine.isInputEnded else { return close() }
    current.waker.answered()
    stream?.hasMore = false
    while output.count - outputSent < Self.streamedOutputBytesMax {
      switch current.source.next() {
      case .bytes(let bytes): append(bytes, to: current)
      case .waits: return noteOutput()
      case .ended: return endStream(current)
      case .aborted: return discardOutput()
      }
    }
    stream?.hasMore = true
    noteOutput()
  }

  /// Asks for the next parts in another turn of the loop, so that no stream monopolizes it. With output that
  /// waits, the socket's next event does that.
  func continueStream() {
    guard let stream, stream.hasMore, output.isEmpty else { return }
    stream.waker.wake()
  }

  /// Nothing was sent for a while.
  func sendIdleBytes() {
    guard let current = stream else { return }
    append(current.source.idleBytes, to: current)
    noteOutput()
    loop.settleLater(self)
  }

  private func append(_ bytes: [UInt8], to stream: StreamedAnswer) {
    if output.isEmpty { output = loop.takeBuffer() }
    if stream.isChunked {
      ResponseSerializer.append(chunk: bytes, to: &output)
    } else {
      output.append(contentsOf: bytes)
    }
    machine.streamMoved(now: loop.now)
  }

  private func endStream(_ ended: StreamedAnswer) {
    stream = nil
    if ended.isChunked { output.append(contentsOf: ResponseSerializer.lastChunkBytes) }
    awaited.isReady(sequence: ended.sequence, end: sentTotal + output.count - outputSent)
    ended.source.end()
    machine.streamEnded()
    noteOutput()
  }
}
