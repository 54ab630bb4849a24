import HTTPServer
import Telemetry

/// `GET /metrics`: Prometheus text, or OpenMetrics where `Accept` asks for it.
extension GatewayHandler {
  func showMetrics(_ call: Call) {
    let accept = call.request.head.headers.values(of: "Accept").joined(separator: ",")
    let format = ExpositionFormat(accept: accept.isEmpty ? nil : accept)
    let registry = metrics.registry
    Task {
      let body = await registry.scrape(as: format)
      call.respond(HTTPResponse(status: 200, headers: ["Content-Type": format.contentType], body: body))
    }
  }
}
