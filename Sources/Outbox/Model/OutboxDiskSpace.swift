/// The space on the volume that holds a store's file.
package struct OutboxDiskSpace: Sendable, Equatable {
  /// Below this share of the volume, or below `lowBytesMin`, the space is low.
  private static let lowShare: Int64 = 50
  private static let lowBytesMin: Int64 = 4 << 20
  private static let lowBytesMax: Int64 = 256 << 20

  package let freeBytes: Int64
  package let totalBytes: Int64

  package init(freeBytes: Int64, totalBytes: Int64) {
    self.freeBytes = freeBytes
    self.totalBytes = totalBytes
  }

  /// Whether an operator should free some space before the disk is full.
  package var isLow: Bool {
    freeBytes < max(Self.lowBytesMin, min(Self.lowBytesMax, totalBytes / Self.lowShare))
  }
}
