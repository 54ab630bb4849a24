import JSON
import Testing

@testable import AppStrings

/// Which tables an XcodeGen specification packs into the application.
@Suite struct XcodeGenTests {
  private static let strings = [
    "App/Resources/en.lproj/Localizable.strings": "\"A\" = \"a\";",
    "App/Old/en.lproj/Localizable.strings": "\"OLD\" = \"o\";",
    "Core/en.lproj/Localizable.strings": "\"C\" = \"c\";",
    "Shared/de.lproj/Localizable.strings": "\"A\" = \"s\";",
  ]

  private static let specification = """
    name: Shop
    options: {developmentLanguage: de}
    include: [{path: Core/target.yml}]
    targetTemplates:
      Base: {sources: [Shared]}
    targets:
      App:
        type: application
        platform: iOS
        templates: [Base]
        sources:
          - {path: App, excludes: [Old, "**/*.md"]}
          - {path: Core, buildPhase: none}
      Tool: {type: application, platform: macOS, sources: Core}
    """

  private static func project(_ text: String = specification) throws -> ProjectFixture {
    let included = "targets:\n  Core: {type: framework, platform: iOS, sources: .}\n"
    return try ProjectFixture(strings.merging(["project.yml": text, "Core/target.yml": included]) { $1 })
  }

  @Test func readsTheApplicationsSources() throws {
    let resources = try Self.project().ios()
    #expect(resources.texts("en") == ["A": "a"])
    #expect(resources.texts("de") == ["A": "s"])
    #expect(resources.sourceLanguage == "de")
    #expect(resources.outOfReach[ExactText("C")]?.place?.owner == "Core.framework")
    #expect(resources.outOfReach[ExactText("OLD")]?.place?.owner == nil)
    #expect(resources.problems.isEmpty)
  }

  @Test func severalApplicationsNeedAChoice() throws {
    let text =
      "targets:\n  A: {type: application, platform: iOS, sources: App}\n  B: {type: application, sources: Core}\n"
    let project = try Self.project(text)
    let problem = try #require(project.ios().problems.first)
    #expect(problem.kind == .noResources)
    #expect(problem.message.contains("several iOS applications. Its iOS applications: A, B"))
    #expect(project.ios(target: "B").texts("en") == ["C": "c"])
    #expect(project.ios(target: "C").problems.first?.message.contains("no such iOS application") == true)
  }

  @Test func whatIsComputedIsOneNote() throws {
    let text = "targets:\n  A: {type: application, sources: [\"${DIR}/App\", Shared]}\n"
    let resources = try Self.project(text).ios()
    #expect(resources.problems.map(\.kind) == [.remark])
    #expect(resources.tables.map(\.name) == ["de"])
  }

  @Test func aSpecificationThatIsNoneIsAnError() throws {
    for text in ["[", "targets: {A: {type: application}, A: {}}\n- x", "\u{0}"] {
      #expect(try Self.project(text).ios().problems.map(\.kind) == [.noResources])
    }
  }
}
