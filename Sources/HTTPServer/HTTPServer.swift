package import Telemetry

/// An HTTP/1.1 server: event loops over non-blocking sockets, one handler.
package final class HTTPServer: Sendable {
  private let configuration: HTTPServerConfiguration
  private let handler: any HTTPHandler
  private let log: Log

  package init(configuration: HTTPServerConfiguration, handler: any HTTPHandler, log: Log) {
    self.configuration = configuration
    self.handler = handler
    self.log = log
  }

  /// Binds and begins to accept; returns the bound address, with the real port where 0 was asked for.
  package func start() throws(HTTPServerError) -> HTTPListenAddress {
    throw HTTPServerError(.systemCallFailed, address: configuration.listen, reason: "not built yet")
  }

  /// Stops accepting, lets requests in flight be answered within `grace`, then closes what is left.
  package func shutDown(grace: Duration) async {}
}
