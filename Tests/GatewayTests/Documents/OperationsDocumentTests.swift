import Foundation
import Telemetry
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// Compares docs/operations.md with the metrics and checks of the gateway.
@Suite(.blocking) struct OperationsDocumentTests {
  private func document() throws -> String {
    try String(contentsOfFile: "\(GatewayFixture.repository)/docs/operations.md", encoding: .utf8)
  }

  @Test func listsEveryMetricWithItsTypeAndLabels() throws {
    let table = try #require(try document().split(separator: "\n## Alerts").first)
    let rows = table.split(separator: "\n").filter {
      $0.hasPrefix("| `dragoman_") || $0.hasPrefix("| `process_")
    }
    let documented = rows.map { row in
      row.split(separator: "|").prefix(3).map { cell in
        cell.trimmingCharacters(in: .whitespaces).filter { $0 != "`" }
      }.joined(separator: " | ")
    }
    let declared = DragomanMetrics(version: "test", log: .silent).registry.descriptions.map { metric in
      // Prometheus text, which most read, has no type of its own for an info.
      let type = metric.kind == .info ? "gauge" : metric.kind.rawValue
      return "\(metric.name) | \(type) | \(metric.labels.joined(separator: ", "))"
    }
    #expect(Set(documented) == Set(declared))
    #expect(documented.count == declared.count)
  }

  @Test func describesEveryMetricInTheWordsOfItsHelp() throws {
    let rows = try document().split(separator: "\n")
    for metric in DragomanMetrics(version: "test", log: .silent).registry.descriptions {
      let row = rows.first { $0.hasPrefix("| `\(metric.name)` |") }
      #expect(row?.contains("| \(metric.help)") == true, "\(metric.name): \(metric.help)")
    }
  }

  @Test func listsExactlyTheMetricsThatAreServed() async throws {
    let text = try document()
    try await GatewayFixture.run { fixture in
      let exposition = try fixture.client.get("/metrics").text
      let served = exposition.matches(of: /(?m)^# TYPE (dragoman_\w+)/).map { String($0.1) }
      let documented = text.matches(of: /(?m)^\| `(dragoman_\w+)` \|/).map { String($0.1) }
      #expect(served.count > 10)
      #expect(Set(documented) == Set(served))
    }
  }

  @Test func namesOnlyExistingMetrics() throws {
    let names = Set(DragomanMetrics(version: "test", log: .silent).registry.descriptions.map(\.name))
    let words = try document().split { !($0.isLetter || $0.isNumber || $0 == "_") }
    for word in Set(words) where word.hasPrefix("dragoman_") || word.hasPrefix("process_") {
      let family = word.hasSuffix("_bucket") ? word.dropLast("_bucket".count) : word
      #expect(names.contains(String(family)), "\(word)")
    }
  }

  @Test func hasARunbookForEveryCheck() throws {
    let text = try document()
    for check in ["queue", "catalog", "credentials", "fcm", "webhook"] {
      #expect(text.contains("\n### \(check)\n"), "\(check)")
    }
  }
}
