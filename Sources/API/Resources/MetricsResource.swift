internal import HTTPServer
internal import Telemetry

/// `GET /metrics`: Prometheus text, or OpenMetrics if `Accept` requests it.
struct MetricsResource: Sendable {
  let registry: MetricsRegistry

  func show(_ call: APICall) {
    let accept = call.head.headers.values(of: "Accept").joined(separator: ",")
    let format = ExpositionFormat(accept: accept.isEmpty ? nil : accept)
    Task {
      let body = await registry.scrape(as: format)
      call.respond(HTTPResponse(status: 200, headers: ["Content-Type": format.contentType], body: body))
    }
  }
}
