import Foundation
import Testing

@testable import Telemetry

struct ExpositionTests {
  private let registry = MetricsRegistry()

  init() {
    let requests = registry.counter("http_requests_total", help: "Requests.", labels: ["route", "status"])
    requests.with("/b", "200").add(3)
    requests.with("/a\\\"\n{é}", "200").add()
    let latency = registry.histogram(
      "latency_seconds", help: "How \"long\",\nin \\ seconds.", unit: .seconds, labels: ["app"],
      buckets: [0.005, 1, 1e6])
    latency.with("x").observe(0.25)
    latency.with("x").observe(0.25)
    latency.with("x").observe(2)
    _ = registry.counter("nothing_total", help: "Never counted.", labels: ["x"])
    let odd = registry.collected("odd", help: "Odd values.", labels: ["value"])
    registry.collect { collection in
      for (name, value) in [
        ("nan", .nan), ("inf", .infinity), ("-inf", -.infinity), ("tiny", 1e-7), ("big", 1e22), ("whole", 7),
        ("-0", -0.0),
      ] as [(String, Double)] { collection.set(odd, name, to: value) }
    }
    registry.gauge("rate", help: "Rate.") { 0.5 }
    registry.gauge("unknown", help: "Not known now.") { nil }
    registry.info("app_build_info", help: "Version.", labels: ["version": "1.2.3"])
  }

  @Test func writesPrometheusText() async {
    let text = String(decoding: await registry.scrape(as: .prometheus), as: UTF8.self)
    #expect(text == Self.golden(own: Self.ownPrometheus, Self.prometheus))
  }

  @Test func writesOpenMetrics() async {
    let text = String(decoding: await registry.scrape(as: .openMetrics), as: UTF8.self)
    #expect(text == Self.golden(own: Self.ownOpenMetrics, Self.openMetrics) + "# EOF\n")
  }

  @Test(.enabled(if: Promtool.path != nil, "promtool is not installed"), arguments: [true, false])
  func promtoolFindsNothing(ofGateway: Bool) async throws {
    let registry = ofGateway ? DragomanMetrics.filled(every: "default").registry : registry
    let report = try Promtool.check(await registry.scrape(as: .prometheus))
    #expect(report == "")
  }

  private static func golden(own: String, _ text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let index = lines.firstIndex { $0.contains(" http_requests") } ?? 0
    lines.insert(contentsOf: own.split(separator: "\n").map(String.init), at: index)
    return lines.joined(separator: "\n") + "\n"
  }

  private static let ownPrometheus = #"""
    # HELP dragoman_metrics_collections_late_total Scrapes without the metrics of a collector that did not answer in time.
    # TYPE dragoman_metrics_collections_late_total counter
    dragoman_metrics_collections_late_total 0
    # HELP dragoman_metrics_label_overflows_total Look-ups of a metric whose label values were replaced by other, because it had too many.
    # TYPE dragoman_metrics_label_overflows_total counter
    dragoman_metrics_label_overflows_total{metric="http_requests_total"} 0
    dragoman_metrics_label_overflows_total{metric="latency_seconds"} 0
    dragoman_metrics_label_overflows_total{metric="nothing_total"} 0
    """#

  private static let ownOpenMetrics = #"""
    # TYPE dragoman_metrics_collections_late counter
    # HELP dragoman_metrics_collections_late Scrapes without the metrics of a collector that did not answer in time.
    dragoman_metrics_collections_late_total 0
    # TYPE dragoman_metrics_label_overflows counter
    # HELP dragoman_metrics_label_overflows Look-ups of a metric whose label values were replaced by other, because it had too many.
    dragoman_metrics_label_overflows_total{metric="http_requests_total"} 0
    dragoman_metrics_label_overflows_total{metric="latency_seconds"} 0
    dragoman_metrics_label_overflows_total{metric="nothing_total"} 0
    """#

  private static let prometheus = #"""
    # HELP app_build_info Version.
    # TYPE app_build_info gauge
    app_build_info{version="1.2.3"} 1
    # HELP http_requests_total Requests.
    # TYPE http_requests_total counter
    http_requests_total{route="/a\\\"\n{é}",status="200"} 1
    http_requests_total{route="/b",status="200"} 3
    # HELP latency_seconds How "long",\nin \\ seconds.
    # TYPE latency_seconds histogram
    latency_seconds_bucket{app="x",le="0.005"} 0
    latency_seconds_bucket{app="x",le="1.0"} 2
    latency_seconds_bucket{app="x",le="1000000.0"} 3
    latency_seconds_bucket{app="x",le="+Inf"} 3
    latency_seconds_sum{app="x"} 2.5
    latency_seconds_count{app="x"} 3
    # HELP nothing_total Never counted.
    # TYPE nothing_total counter
    # HELP odd Odd values.
    # TYPE odd gauge
    odd{value="-0"} 0
    odd{value="-inf"} -Inf
    odd{value="big"} 1e+22
    odd{value="inf"} +Inf
    odd{value="nan"} NaN
    odd{value="tiny"} 1e-07
    odd{value="whole"} 7
    # HELP rate Rate.
    # TYPE rate gauge
    rate 0.5
    # HELP unknown Not known now.
    # TYPE unknown gauge
    """#

  private static let openMetrics = #"""
    # TYPE app_build info
    # HELP app_build Version.
    app_build_info{version="1.2.3"} 1
    # TYPE http_requests counter
    # HELP http_requests Requests.
    http_requests_total{route="/a\\\"\n{é}",status="200"} 1
    http_requests_total{route="/b",status="200"} 3
    # TYPE latency_seconds histogram
    # UNIT latency_seconds seconds
    # HELP latency_seconds How \"long\",\nin \\ seconds.
    latency_seconds_bucket{app="x",le="0.005"} 0
    latency_seconds_bucket{app="x",le="1.0"} 2
    latency_seconds_bucket{app="x",le="1000000.0"} 3
    latency_seconds_bucket{app="x",le="+Inf"} 3
    latency_seconds_sum{app="x"} 2.5
    latency_seconds_count{app="x"} 3
    # TYPE nothing counter
    # HELP nothing Never counted.
    # TYPE odd gauge
    # HELP odd Odd values.
    odd{value="-0"} 0
    odd{value="-inf"} -Inf
    odd{value="big"} 1e+22
    odd{value="inf"} +Inf
    odd{value="nan"} NaN
    odd{value="tiny"} 1e-07
    odd{value="whole"} 7
    # TYPE rate gauge
    # HELP rate Rate.
    rate 0.5
    # TYPE unknown gauge
    # HELP unknown Not known now.
    """#
}

/// Prometheus' linter, if it is installed.
enum Promtool {
  static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/promtool" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  /// The output of `promtool check metrics` for a scrape; empty if it finds nothing.
  static func check(_ scrape: [UInt8]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(path))
    process.arguments = ["check", "metrics"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(scrape))
    try input.fileHandleForWriting.close()
    let report = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: report, as: UTF8.self)
    return process.terminationStatus == 0 || !text.isEmpty ? text : "exit \(process.terminationStatus)"
  }
}
