/// A mobile platform whose apps carry string resources of their own.
package enum AppPlatform: String, Sendable, CaseIterable {
  case android, ios
}
