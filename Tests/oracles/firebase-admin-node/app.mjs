// A stand-in for Google's SDK for Node, which neither Debian nor PyPI has: as much of it as the example in
// docs/emulator.md uses. It makes requests as the SDK's transport for HTTP/1.1 does: with https.request, to FCM's own
// host, through the agent of the app.
export const initializeApp = (options) => ({ options });
