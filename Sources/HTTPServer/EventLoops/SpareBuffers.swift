/// Output buffers of a loop that no connection needs now, with their memory.
struct SpareBuffers {
  private static let countMax = 16
  private static let bytesMax = 65_536

  private var buffers: [[UInt8]] = []

  /// An empty buffer.
  mutating func take() -> [UInt8] { buffers.popLast() ?? [] }

  mutating func giveBack(_ buffer: consuming [UInt8]) {
    guard buffers.count < Self.countMax, buffer.capacity <= Self.bytesMax else { return }
    buffer.removeAll(keepingCapacity: true)
    buffers.append(buffer)
  }
}
