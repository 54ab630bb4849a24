import Testing

@testable import Telemetry

struct MetricsTests {
  private let registry = MetricsRegistry()

  @Test func countersOnlyGrow() {
    let counter = registry.counter("things_total", help: "Things.")
    counter.add()
    counter.add(41)
    counter.add(-5)
    #expect(counter.value == 42)
  }

  @Test func gaugesGoUpAndDown() {
    let gauge = registry.gauge("level", help: "Level.")
    gauge.set(2.5)
    gauge.add(-4)
    #expect(gauge.value == -1.5)
  }

  @Test func histogramsHaveInclusiveBucketsAndSkipNaN() {
    let histogram = registry.histogram("size", help: "Size.", buckets: [1, 10, 0.5])
    for value in [0.25, 0.5, 0.75, 10, 11, -3, .nan, .infinity] { histogram.observe(value) }
    let expected = HistogramReading(
      buckets: [
        .init(bound: 0.5, count: 3), .init(bound: 1, count: 4), .init(bound: 10, count: 5),
        .init(bound: .infinity, count: 6),
      ], sum: 22.5)
    #expect(histogram.reading == .histogram(expected))
  }

  @Test func durationsAreObservedInSeconds() {
    let histogram = registry.histogram("t_seconds", help: "Time.", unit: .seconds, buckets: [1])
    histogram.observe(.milliseconds(1_500))
    #expect(
      histogram.reading
        == .histogram(
          .init(buckets: [.init(bound: 1, count: 0), .init(bound: .infinity, count: 1)], sum: 1.5)))
  }

  @Test func nothingIsLostWhenManyThreadsAdd() async {
    let family = registry.counter("adds_total", help: "Adds.", labels: ["who"])
    let gauge = registry.gauge("sum", help: "Sum.")
    let histogram = registry.histogram("seen", help: "Seen.", buckets: [1, 2])
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          let counter = family.with(String(task % 2))
          for _ in 0..<5_000 {
            counter.add()
            gauge.add(0.5)
            histogram.observe(1.5)
          }
        }
      }
    }
    #expect(family.with("0").value == 20_000)
    #expect(family.with("1").value == 20_000)
    #expect(gauge.value == 20_000)
    guard case .histogram(let reading) = histogram.reading else { return }
    #expect(reading.count == 40_000)
    #expect(reading.sum == 60_000)
  }

  @Test func labelValuesAreComparedByTheirBytes() {
    let family = registry.counter("c_total", help: "C.", labels: ["a", "b"])
    #expect(family.with("x", "y") === family.with("x", "y"))
    #expect(family.with("x", "y") !== family.with("y", "x"))
    #expect(family.with("é", "") !== family.with("e\u{301}", ""))
    #expect(family.with("ab", "c") !== family.with("a", "bc"))
  }

  /// More than are remembered at once.
  @Test func seriesAreFoundAgainInAnyOrder() {
    let one = registry.counter("one_total", help: "One.", labels: ["a"])
    let three = registry.counter("three_total", help: "Three.", labels: ["a", "b", "c"])
    let values = (0..<7).map { "value \($0)" } + ["", "a\u{323}\u{307}", "a\u{307}\u{323}"]
    let indices = (0..<300).map { ($0 * 7 + $0 / 3) % values.count }
    for index in indices {
      let value = values[index]
      one.with(value).add()
      three.with("x", value, "z").add()
      three.with(value, "x", "z").add()
    }
    for (index, value) in values.enumerated() {
      let count = UInt64(indices.count { $0 == index })
      #expect(one.with(value).value == count)
      #expect(three.with("x", value, "z").value == count)
      #expect(three.with(value, "x", "z").value == count)
    }
  }

  @Test func unknownValuesBeyondTheBoundBecomeOther() async {
    let family = registry.counter("r_total", help: "R.", labels: ["method", "route"], combinationsMax: 3)
    family.with("GET", "/a").add()
    family.with("GET", "/b").add()
    family.with("POST", "/a").add()
    family.with("GET", "/c").add()
    family.with("GET", "/d").add()
    family.with("POST", "/b").add()
    family.with("PUT", "/a").add()
    family.with("GET", "/a").add()
    let lines = await scrapedLines()
    #expect(
      lines.filter { $0.hasPrefix("r_total{") } == [
        #"r_total{method="GET",route="/a"} 2"#, #"r_total{method="GET",route="/b"} 1"#,
        #"r_total{method="GET",route="other"} 2"#, #"r_total{method="POST",route="/a"} 1"#,
        #"r_total{method="POST",route="/b"} 1"#, #"r_total{method="other",route="/a"} 1"#,
      ])
    #expect(lines.contains(#"dragoman_metrics_label_overflows_total{metric="r_total"} 4"#))
  }

  @Test func aFloodOfLabelValuesKeepsABoundedNumberOfSeries() {
    let family = registry.counter("f_total", help: "F.", labels: ["a", "b"], combinationsMax: 10)
    for index in 0..<1_000 { family.with("a\(index % 50)", "b\(index)").add() }
    #expect(family.samples().count <= 21)
    let total = family.samples().reduce(into: UInt64(0)) { sum, sample in
      if case .integer(let value) = sample.reading { sum += value }
    }
    #expect(total == 1_000)
  }

  @Test func overlongLabelValuesAreOther() {
    let family = registry.counter("l_total", help: "L.", labels: ["a", "b"])
    family.with(String(repeating: "x", count: 257), "b").add()
    #expect(family.samples().map(\.labels) == [["other", "b"]])
  }

  @Test func collectorsRunAtEachScrape() async {
    let family = registry.collected("depth", help: "Depth.", labels: ["app", "state"])
    let scrapes = Counter(())
    registry.collect { collection in
      scrapes.add()
      collection.set(family, "b", "queued", to: Double(scrapes.value))
      collection.set(family, "a", "sent", to: .infinity)
    }
    _ = await scrapedLines()
    #expect(
      await scrapedLines().filter { $0.hasPrefix("depth{") } == [
        #"depth{app="a",state="sent"} +Inf"#, #"depth{app="b",state="queued"} 2"#,
      ])
  }

  @Test func collectedSeriesBeyondTheBoundAreDroppedAndCounted() async {
    let family = registry.collected("depth", help: "Depth.", labels: ["app"], combinationsMax: 2)
    registry.collect { collection in
      for app in ["a", "b", "c", "d", "e"] { collection.set(family, app, to: 1) }
    }
    let lines = await scrapedLines()
    #expect(lines.filter { $0.hasPrefix("depth{") }.count == 2)
    #expect(await scrapedLines().contains(#"dragoman_metrics_label_overflows_total{metric="depth"} 6"#))
  }

  @Test(.timeLimit(.minutes(1))) func hangingCollectorDelaysNoScrape() async {
    let slow = registry.collected("slow", help: "Slow.")
    let quick = registry.collected("quick", help: "Quick.")
    let gate = AsyncStream.makeStream(of: Void.self)
    let runs = Counter(())
    registry.collect(timeout: .milliseconds(20)) { collection in
      runs.add()
      for await _ in gate.stream {}
      collection.set(slow, to: 1)
    }
    registry.collect { $0.set(quick, to: 2) }
    for _ in 0..<3 {
      let lines = await scrapedLines()
      #expect(lines.contains("quick 2"))
      #expect(!lines.contains("slow 1"))
    }
    #expect(runs.value == 1)
    gate.continuation.finish()
    while await !scrapedLines().contains("slow 1") { await Task.yield() }
    #expect(await scrapedLines().contains("dragoman_metrics_collections_late_total 3"))
  }

  @Test func scrapesAtTheSameTimeShareOneRunOfACollector() async {
    let shared = registry.collected("shared", help: "Shared.")
    registry.collect { $0.set(shared, to: 1) }
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 { group.addTask { await scrapedLines().contains("shared 1") } }
      for await hasFigure in group { #expect(hasFigure) }
    }
  }

  private func scrapedLines() async -> [Substring] {
    String(decoding: await registry.scrape(as: .prometheus), as: UTF8.self).split(separator: "\n")
  }
}

struct MetricDescriptionTests {
  @Test(
    arguments: [
      ("", .gauge, nil, [], "not a metric name"), ("1a", .gauge, nil, [], "not a metric name"),
      ("a-b", .gauge, nil, [], "not a metric name"), ("é", .gauge, nil, [], "not a metric name"),
      ("a", .counter, nil, [], "a counter's name must end in _total"),
      ("a", .info, nil, [], "an info's name must end in _info"),
      ("a_total", .gauge, nil, [], "the suffix is reserved for another type"),
      ("a_count", .histogram, nil, [], "the suffix is reserved for another type"),
      ("a", .gauge, .seconds, [], "the name does not end in the unit"),
      ("a_bytes_total", .counter, .seconds, [], "the name does not end in the unit"),
      ("a", .gauge, nil, ["__a"], "not a label name: __a"),
      ("a", .gauge, nil, ["a:b"], "not a label name: a:b"),
      ("a", .histogram, nil, ["le"], "a reserved label: le"),
      ("a", .gauge, nil, ["b", "b"], "duplicate label"),
      ("a", .gauge, nil, ["b", "c"], nil), ("a:b_seconds_total", .counter, .seconds, ["A_1"], nil),
    ] as [(String, MetricDescription.Kind, MetricDescription.Unit?, [String], String?)])
  func declarationsThatScrapersRejectTrap(
    name: String, kind: MetricDescription.Kind, unit: MetricDescription.Unit?, labels: [String],
    problem: String?
  ) {
    #expect(
      MetricDescription.problem(name: name, kind: kind, help: "Help.", unit: unit, labels: labels) == problem)
  }

  @Test func helpIsRequired() {
    #expect(
      MetricDescription.problem(name: "a", kind: .gauge, help: "", unit: nil, labels: []) == "no help text")
  }

  @Test func twoFamiliesOfOneNameTrap() async {
    await #expect(processExitsWith: .failure) {
      let registry = MetricsRegistry()
      registry.info("a_info", help: "A.", labels: [:])
      registry.info("a_info", help: "A.", labels: [:])
    }
  }
}
