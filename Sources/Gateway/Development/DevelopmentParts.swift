internal import FCMEmulator
internal import HTTPServer

/// What `dragoman dev` adds to a gateway.
struct DevelopmentParts: Sendable {
  /// Receives what happens, to be displayed.
  let activity: GatewayActivity
  /// Whose inbox and faults the console shows.
  let emulator: FCMEmulator
  let emulatorAddress: HTTPListenAddress
}
