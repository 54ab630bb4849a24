import Clock
import Dispatch
import Foundation
import JSON
import Synchronization
import Testing

@testable import Telemetry

/// Records the lines of a log.
private final class Lines: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  func take(_ lines: [UInt8]) { bytes.withLock { $0 += lines } }

  var all: [String] {
    String(decoding: bytes.withLock { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  func written(by body: (Log) -> Void, level: Log.Level = .info, format: Log.Format = .json) -> [String] {
    let log = Log(level: level, format: format, sink: take)
    body(log)
    #expect(log.flush())
    return all
  }
}

struct LogTests {
  private let lines = Lines()

  @Test func jsonLinesHoldTimeLevelMessageAndFields() throws {
    let line = try #require(
      lines.written { log in
        log.info(
          "it is", ["text": "a \"b\"\n\u{9B}é", "count": 3, "share": 0.5, "ok": true, "nan": .number(.nan)])
      }.first)
    let object = try #require(JSON.parse(line).object)
    #expect(object.map(\.key) == ["time", "level", "message", "text", "count", "share", "ok", "nan"])
    #expect(object["level"] == "info" && object["message"] == "it is")
    #expect(object["text"]?.string == "a \"b\"\n\u{9B}é")
    #expect(object["count"]?.int64 == 3 && object["share"]?.double == 0.5 && object["ok"] == true)
    #expect(object["nan"]?.isNull == true)
    let time = try #require(object["time"]?.string)
    let date = try Date(
      time,
      strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(
        separator: .omitted))
    #expect(abs(date.timeIntervalSinceNow) < 60)
    #expect(!line.utf8.contains(0xC2))
  }

  @Test func textLinesQuoteValuesThatAreNotBareWords() throws {
    let line = try #require(
      lines.written(
        by: { log in
          log.warning(
            "it is",
            [
              "word": "a/b:1", "empty": "", "text": "a b", "pair": "a=b", "esc": "\u{1B}[2J",
              "turn": "\u{202E}x", "n": -1,
            ])
        }, format: .text
      ).first)
    #expect(
      line.dropFirst("2026-11-21T11:59:00.123Z ".count)
        == #"WARNING it is word=a/b:1 empty="" text="a b" pair="a=b" esc="\u001b[2J" turn="\u202ex" n=-1"#)
  }

  @Test func onlyTextOnATerminalIsColoured() {
    for format in [Log.Format.json, .text] {
      let log = Log(format: format, isColored: true, sink: lines.take)
      log.error("boom", ["a": 1])
      log.flush()
    }
    #expect(lines.all.first?.contains("\u{1B}") == false)
    #expect(lines.all.last?.hasSuffix(" \u{1B}[31mERROR\u{1B}[0m boom \u{1B}[2ma=\u{1B}[0m1") == true)
    #expect(!lines.written(by: { $0.info("plain") }, format: .text).joined().hasSuffix("\u{1B}"))
  }

  @Test func linesBelowTheLevelAreNotEvaluated() {
    let written = lines.written(
      by: { log in
        log.debug("no", ["a": .string(neverAsked())])
        log.info("no", ["a": .string(neverAsked())])
        log.warning("yes")
        log.error("yes too")
      }, level: .warning)
    #expect(written.count == 2)
  }

  @Test func commonFieldsAreOnEachLineOnce() throws {
    let line = try #require(
      lines.written { log in
        log.with(["request_id": "r", "app": "outer"]).with(["trace_id": "t"])
          .info("m", ["app": "inner", "level": "mine", "time": "mine"])
      }.first)
    let object = try #require(JSON.parse(line).object)
    #expect(object.map(\.key) == ["time", "level", "message", "app", "trace_id", "request_id"])
    #expect(object["app"] == "inner" && object["level"] == "info")
  }

  @Test(arguments: [Log.Format.json, .text])
  func linesAndValuesAreBounded(format: Log.Format) throws {
    let long = String(repeating: "é\n", count: 100_000)
    let written = lines.written(
      by: { log in
        log.info("one", ["a": .string(long), "b": 1])
        log.info(
          "many", ["a": .string(long), "b": .string(long), "c": .string(long), "d": .string(long), "e": 1])
      }, format: format)
    #expect(written.count == 2)
    #expect(written.allSatisfy { $0.utf8.count < LogFormatter.lineBytesMax })
    #expect(written[0].contains("…") && !written[0].contains("truncated"))
    #expect(written[1].contains("truncated"))
    if format == .json {
      for line in written { _ = try JSON.parse(line) }
      #expect(try JSON.parse(written[1])["truncated"] == true)
      #expect(try JSON.parse(written[0])["b"] == 1)
    }
  }

  @Test(.timeLimit(.minutes(1))) func stuckReaderBlocksNothingAndLossesAreReported() throws {
    let started = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    let isFirst = Atomic<Bool>(true)
    let log = Log(sink: { [lines] bytes in
      if isFirst.exchange(false, ordering: .relaxed) {
        started.signal()
        gate.wait()
      }
      lines.take(bytes)
    })
    log.info("first")
    started.wait()
    let filler = String(repeating: "x", count: 2_000)
    let count = 3_000
    for _ in 0..<count { log.info("line", ["filler": .string(filler)]) }
    #expect(!log.flush(timeout: .milliseconds(10)))
    let dropped = log.droppedLines
    #expect(dropped > 0 && dropped < UInt64(count))
    gate.signal()
    #expect(log.flush())
    let last = try #require(lines.all.last)
    #expect(try JSON.parse(last)["message"] == "log lines dropped")
    #expect(try JSON.parse(last)["count"]?.int64 == Int64(dropped))
    #expect(lines.all.count == 2 + count - Int(dropped))
    log.info("after")
    #expect(log.flush())
    #expect(lines.all.last?.contains("after") == true)
  }

  @Test func droppedLinesAreCountedAndReported() {
    let formatter = LogFormatter(format: .text, isColored: false)
    let works = Atomic<Bool>(false)
    let writer = LogWriter(formatter: formatter) { [lines] bytes in
      guard works.load(ordering: .relaxed) else { return false }
      lines.take(bytes)
      return true
    }
    writer.append(Array("a\nb\n".utf8))
    #expect(writer.flush(timeout: .seconds(5)))
    writer.append(Array("c\n".utf8))
    #expect(writer.flush(timeout: .seconds(5)))
    works.store(true, ordering: .relaxed)
    writer.append(Array("d\n".utf8))
    #expect(writer.flush(timeout: .seconds(5)))
    #expect(writer.droppedLines == 2)
    #expect(lines.all.count == 2 && lines.all.first == "d")
    #expect(lines.all.last?.hasSuffix("WARNING log lines dropped count=2") == true)
  }

  @Test func linesOfManyThreadsArriveWhole() async throws {
    let log = Log(sink: lines.take)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<500 { log.info("m", ["task": .integer(task), "index": .integer(index)]) }
        }
      }
    }
    #expect(log.flush())
    var last = Array(repeating: -1, count: 8)
    for line in lines.all {
      let object = try JSON.parse(line)
      let task = Int(try #require(object["task"]?.int64))
      let index = Int(try #require(object["index"]?.int64))
      #expect(index == last[task] + 1)
      last[task] = index
    }
    #expect(last.allSatisfy { $0 == 499 })
  }

  private func neverAsked() -> String {
    Issue.record("the line is below the level")
    return ""
  }
}

struct StandardErrorTests {
  @Test func writesEverythingToASlowPipeAndReportsItsClosing() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (reader, writer) = (ends[0], ends[1])
    _ = fcntl(writer, F_SETFL, O_NONBLOCK)
    let bytes = (0..<500_000).map { UInt8(truncatingIfNeeded: $0) }
    let received = Mutex<[UInt8]>([])
    let done = DispatchGroup()
    DispatchQueue.global().async(group: done) {
      var chunk = [UInt8](repeating: 0, count: 4_096)
      while true {
        let count = read(reader, &chunk, chunk.count)
        guard count > 0 else { return }
        received.withLock { $0 += chunk.prefix(count) }
      }
    }
    #expect(StandardErrorStream.write(bytes, to: writer))
    close(writer)
    done.wait()
    #expect(received.withLock { $0 } == bytes)
    close(reader)
    #expect(!StandardErrorStream.write(bytes, to: -1))
  }
}
