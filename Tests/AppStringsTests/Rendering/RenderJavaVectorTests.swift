import Foundation
import JSON
import Testing

@testable import AppStrings

/// The results of OpenJDK's own formatter, written by Tests/oracles/FormatterOracle.java.
@Suite struct RenderJavaVectorTests {
  struct Vector {
    let language: String
    let outcome: String
    let format: String
    let args: [String]

    init?(_ line: Substring) {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(Self.unescaped)
      guard fields.count >= 3 else { return nil }
      (language, outcome, format, args) = (fields[0], fields[1], fields[2], Array(fields[3...]))
    }

    private static func unescaped(_ field: Substring) -> String {
      var result = String.UnicodeScalarView()
      var isEscaped = false
      for scalar in field.unicodeScalars {
        switch (isEscaped, scalar) {
        case (false, "\\"):
          isEscaped = true
          continue
        case (true, "t"): result.append("\t")
        case (true, "n"): result.append("\n")
        case (true, "r"): result.append("\r")
        default: result.append(scalar)
        }
        isEscaped = false
      }
      return String(result)
    }
  }

  @Test func agreesWithOpenJDKOnTheFixture() throws {
    let url = try #require(
      Bundle.module.url(forResource: "Fixtures/java-formatter", withExtension: "tsv"))
    let vectors = try Self.vectors(at: url.path)
    #expect(vectors.count >= 6000)
    #expect(Self.differences(vectors).prefix(20) == [])
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["DRAGOMAN_FORMATTER_VECTORS"] != nil))
  func agreesWithOpenJDKOnNamedVectors() throws {
    let path = try #require(ProcessInfo.processInfo.environment["DRAGOMAN_FORMATTER_VECTORS"])
    let vectors = try Self.vectors(at: path)
    #expect(!vectors.isEmpty)
    #expect(Self.differences(vectors).prefix(20) == [])
  }

  private static func vectors(at path: String) throws -> [Vector] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    // By scalars: a line may begin with a combining mark, and then `\n` would be no Character of its own.
    return text.unicodeScalars.split(separator: "\n").compactMap { Vector(Substring($0)) }
  }

  private static func differences(_ vectors: [Vector]) -> [String] {
    vectors.compactMap { vector in
      var outcome: String
      do throws(AndroidFormatError) {
        outcome =
          "="
          + (try AndroidFormatter.format(
            vector.format, args: vector.args, language: LocaleTag(vector.language)))
      } catch {
        outcome = "!\(error.name): \(error.message)"
      }
      let verdict = AndroidFormatter.verdict(vector.format, argCount: vector.args.count)
      let verdictAgrees =
        verdict.map { vector.outcome == "!\($0.name): \($0.message)" } ?? outcome.hasPrefix("=")
      if outcome.hasSameBytes(as: vector.outcome), verdictAgrees { return nil }
      return "\(vector.format.debugDescription) \(vector.args): \(outcome), Java \(vector.outcome)"
    }
  }
}
