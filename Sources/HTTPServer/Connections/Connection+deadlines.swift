extension Connection {
  var deadline: UInt64? { machine.deadline }

  func deadlinePassed() {
    switch machine.expiry(now: loop.now) {
    case .none: loop.schedule(self)
    case .close:
      if output.isEmpty { close() } else { discardOutput() }
    case .streamIsIdle: sendIdleBytes()
    case .requestTimeout:
      refuse(HTTPProtocolError(.timeout, "The request did not arrive in time."))
      loop.settleLater(self)
    }
  }
}
