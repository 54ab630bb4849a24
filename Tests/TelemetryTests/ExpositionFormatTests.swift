import Telemetry
import Testing

struct ExpositionFormatTests {
  @Test(arguments: [
    "application/openmetrics-text", "application/openmetrics-text; version=1.0.0",
    "Application/OpenMetrics-Text;VERSION=\"1.0.0\"", "application/openmetrics-text;version=1.0.0,*/*;q=0.1",
    "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,"
      + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
      + "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
    "text/plain, application/openmetrics-text", "text/plain;q=0.5, application/*",
    "text/plain;q=0, */*;q=0.001",
    "x;y=\"a,text/plain;q=1\", application/openmetrics-text;q=0.2",
    " , ,application/openmetrics-text;q=1.000,,",
  ])
  func choosesOpenMetricsOnRequest(accept: String) {
    #expect(ExpositionFormat(accept: accept) == .openMetrics)
  }

  @Test(
    arguments: [
      nil, "", "*/*", "text/plain", "text/*", "text/html,*/*;q=0.8", "application/json", "garbage", "/",
      ";;;,,,",
      "application/openmetrics-text;version=0.0.1",
      "application/openmetrics-text;version=2.0.0, text/plain;q=0.1",
      "application/openmetrics-text;version=1.0", "application/openmetrics-text;q=0",
      "application/openmetrics-text;q=0.2, text/plain;q=0.3", "application/openmetrics-text;q=0.5, */*;q=0.9",
      "application/openmetrics-text;q=nonsense", "application/openmetrics-text;q=1.001",
      "application/openmetrics-text;q=2", "application/openmetrics-text;q=0.1234",
      "application/openmetrics-text;q=", "text /plain, application /openmetrics-text",
      "\"unclosed, application/openmetrics-text",
      "application/openmetrics-text;q=0, */*",
      "application/openmetrics-text;version=1.0.0;q=0, application/openmetrics-text",
    ] as [String?])
  func choosesPrometheusTextOtherwise(accept: String?) {
    #expect(ExpositionFormat(accept: accept) == .prometheus)
  }

  @Test func contentTypesAreExact() {
    #expect(ExpositionFormat.prometheus.contentType == "text/plain; version=0.0.4; charset=utf-8")
    #expect(
      ExpositionFormat.openMetrics.contentType == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    )
  }
}
