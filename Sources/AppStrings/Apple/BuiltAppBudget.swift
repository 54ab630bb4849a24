internal import Synchronization

/// What may still be read of a built app and kept. A binary property list can name one text any number of
/// times, and an app can have any number of lists.
final class BuiltAppBudget: Sendable {
  private let readValues: Atomic<Int>
  private let readTextBytes: Atomic<Int>
  private let keptValues: Atomic<Int>
  private let keptTextBytes: Atomic<Int>

  init(_ limits: BuiltAppLimits) {
    readValues = Atomic(limits.readValuesMax)
    readTextBytes = Atomic(limits.readTextBytesMax)
    keptValues = Atomic(limits.keptValuesMax)
    keptTextBytes = Atomic(limits.keptTextBytesMax)
  }

  var readValuesLeft: Int { max(0, readValues.load(ordering: .relaxed)) }
  var readTextBytesLeft: Int { max(0, readTextBytes.load(ordering: .relaxed)) }

  /// Counts what one list held, as far as it was read.
  func takeRead(values: Int, textBytes: Int) {
    readValues.subtract(values, ordering: .relaxed)
    readTextBytes.subtract(textBytes, ordering: .relaxed)
  }

  /// Counts what stays in memory of one file.
  func takeKept(values: Int, textBytes: Int) {
    keptValues.subtract(values, ordering: .relaxed)
    keptTextBytes.subtract(textBytes, ordering: .relaxed)
  }

  /// Whether everything fitted so far.
  var isKept: Bool {
    [readValues.load(ordering: .relaxed), readTextBytes.load(ordering: .relaxed)].allSatisfy { $0 >= 0 }
      && keptValues.load(ordering: .relaxed) >= 0 && keptTextBytes.load(ordering: .relaxed) >= 0
  }
}

/// Limits on all string tables of a built app together.
package struct BuiltAppLimits: Sendable {
  /// The number of values in its binary property lists, needed or not.
  let readValuesMax: Int
  /// The size of all texts of its binary property lists, needed or not.
  let readTextBytesMax: Int
  /// The number of strings, plural forms, problems and keys out of reach that are kept.
  let keptValuesMax: Int
  /// The size of their texts.
  let keptTextBytesMax: Int

  package init(readValuesMax: Int, readTextBytesMax: Int, keptValuesMax: Int, keptTextBytesMax: Int) {
    (self.readValuesMax, self.readTextBytesMax) = (readValuesMax, readTextBytesMax)
    (self.keptValuesMax, self.keptTextBytesMax) = (keptValuesMax, keptTextBytesMax)
  }
}

/// The string tables of a built app exceed `BuiltAppLimits`.
package struct TooManyStringsError: Error {}
