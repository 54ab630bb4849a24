import Foundation
import Testing

@testable import Telemetry

struct ProcessMetricsTests {
  @Test func reportsThisProcess() throws {
    let figures = ProcessFigures(proc: "/proc")
    #expect(try #require(figures.cpuSeconds) >= 0)
    #expect(try #require(figures.residentBytes) > 1_048_576)
    #expect(try #require(figures.virtualBytes) > #require(figures.residentBytes))
    #expect(try #require(figures.threads) >= 1)
    #expect(try #require(figures.openDescriptors) >= 3)
    #expect(try #require(figures.descriptorsMax) >= #require(figures.openDescriptors))
    let age = Date().timeIntervalSince1970 - (try #require(figures.startSeconds))
    #expect(age > -2 && age < 24 * 3_600)
  }

  @Test func isAbsentWhereThereIsNoProc() {
    let figures = ProcessFigures(proc: "/nonexistent")
    #expect(figures == ProcessFigures(proc: "/dev/null"))
    #expect(figures.cpuSeconds == nil && figures.openDescriptors == nil && figures.startSeconds == nil)
  }

  @Test func readsACommandWithParenthesesAndNoLimit() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "proc-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let own = folder.appending(path: "self")
    try FileManager.default.createDirectory(
      at: own.appending(path: "fd"), withIntermediateDirectories: true)
    try "7 (a) b (c)) S 1 7 7 0 -1 4194560 1 0 0 0 250 50 0 0 20 0 9 0 1000 4096 3 18446744073709551615"
      .write(to: own.appending(path: "stat"), atomically: false, encoding: .utf8)
    try "Limit Soft Hard Units\nMax open files            unlimited            unlimited            files\n"
      .write(to: own.appending(path: "limits"), atomically: false, encoding: .utf8)
    try "cpu 1 2 3\nbtime 1700000000\n"
      .write(to: folder.appending(path: "stat"), atomically: false, encoding: .utf8)
    let figures = ProcessFigures(proc: folder.path)
    let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
    #expect(figures.cpuSeconds == 300 / ticks)
    #expect(figures.threads == 9)
    #expect(figures.virtualBytes == 4_096)
    #expect(figures.residentBytes == 3 * Double(sysconf(Int32(_SC_PAGESIZE))))
    #expect(figures.startSeconds == 1_700_000_000 + 1_000 / ticks)
    #expect(figures.descriptorsMax == .infinity)
    #expect(figures.openDescriptors == 0)
  }

  @Test func truncatedFilesGiveNoFigures() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "proc-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let own = folder.appending(path: "self")
    try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
    for stat in ["", ")", "7 (a) S 1", "no parentheses at all"] {
      try stat.write(to: own.appending(path: "stat"), atomically: false, encoding: .utf8)
      #expect(ProcessFigures(proc: folder.path).cpuSeconds == nil)
    }
  }
}
