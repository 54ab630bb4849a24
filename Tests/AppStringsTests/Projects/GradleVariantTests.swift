import JSON
import TestSupport
import Testing

@testable import AppStrings

/// What the flavors and build types of an Android app have.
@Suite struct GradleVariantTests {
  private static let strings = ProjectFixture.strings

  private static func project() throws -> ProjectFixture {
    try ProjectFixture([
      "settings.gradle": "include ':app', ':gms'",
      "app/build.gradle": """
      plugins { id 'com.android.application' }
      android {
        flavorDimensions 'store', 'tier'
        productFlavors {
          play { dimension 'store' }
          foss { dimension 'store' }
          free { dimension 'tier'; isDefault = true }
          pro { dimension 'tier'; resValue 'string', 'tier', 'Pro' }
        }
        buildTypes { debug { }; release { }; nightly { initWith release } }
      }
      dependencies { playImplementation project(':gms') }
      """,
      "gms/build.gradle": "plugins { id 'com.android.library' }",
      "app/src/main/res/values/strings.xml": strings("a=main", "b=main"),
      "app/src/pro/res/values/strings.xml": strings("b=pro", "p=pro"),
      "app/src/foss/res/values-de/strings.xml": strings("a=foss"),
      "app/src/debug/res/values/strings.xml": strings("a=debug"),
      "app/src/unknown/res/values/strings.xml": strings("u=unknown"),
      "gms/src/main/res/values/strings.xml": strings("g=gms", "a=gms"),
    ])
  }

  @Test func mergesAllFlavors() throws {
    let project = try Self.project()
    let resources = project.android()
    #expect(resources.project?.variants == ["playFree", "playPro", "fossFree", "fossPro"])
    let table = try #require(resources.table("default"))
    #expect(resources.texts("default") == ["a": "main", "b": "main", "p": "pro", "g": "gms", "tier": "Pro"])
    #expect(table["a"]?.variants == [])
    #expect(table["b"]?.variants == ["playFree", "fossFree"])
    #expect(table.alternatives(of: "b").map(\.text) == ["pro"])
    #expect(table.alternatives(of: "b").first?.variants == ["playPro", "fossPro"])
    #expect(table["p"]?.variants == ["playPro", "fossPro"])
    #expect(table["g"]?.variants == ["playFree", "playPro"])
    #expect(table["tier"]?.variants == ["playPro", "fossPro"])
    #expect(resources.table("de")?["a"]?.variants == ["fossFree", "fossPro"])
    let elsewhere = resources.elsewhere.map { project.relative($0.path) }
    #expect(elsewhere == ["app/src/debug/res", "app/src/unknown/res"])
  }

  @Test(
    arguments: [
      ("playProRelease", ["a": "main", "b": "pro", "p": "pro", "g": "gms", "tier": "Pro"]),
      ("fossFreeDebug", ["a": "debug", "b": "main"]),
    ] as [(String, [String: String])])
  func readsOneVariant(_ name: String, _ texts: [String: String]) throws {
    let resources = try Self.project().android(variant: name)
    #expect(resources.texts("default") == texts)
    #expect(resources.project?.variants == [])
    #expect(resources.table("default")?.alternatives.isEmpty == true)
  }

  @Test func aFlavorStandsForItsVariants() throws {
    let resources = try Self.project().android(variant: "foss")
    #expect(resources.project?.variants == ["fossFree", "fossPro"])
    #expect(resources.table("default")?["g"] == nil)
  }

  @Test func anUnknownVariantIsAnErrorThatListsThem() throws {
    let problem = try #require(try Self.project().android(variant: "gold").problems.first)
    #expect(problem.kind == .noResources)
    #expect(
      problem.message.contains("no variant gold. Its release variants are playFreeRelease, playProRelease"))
  }

  @Test func aBuildTypeWithItsOwnStringsCounts() throws {
    let project = try Self.project()
    try project.folder.write(Self.strings("a=nightly"), to: "app/src/nightly/res/values/strings.xml")
    let resources = project.android()
    #expect(resources.project?.variants.contains("playFreeNightly") == true)
    #expect(resources.table("default")?.alternatives(of: "a").map(\.text) == ["nightly"])
  }

  /// What the block computes is no flavor.
  @Test func readsTheFlavorsOfKotlin() throws {
    let resources = try ProjectFixture([
      "settings.gradle.kts": "include(\":app\")",
      "app/build.gradle.kts": """
      plugins { id("com.android.application") }
      android {
        productFlavors {
          create("full") { applicationIdSuffix = "" }
          val minimal by creating { isDefault = true }
          val names = productFlavors.joinToString { it.name }
          configureEach { buildConfigField("String", "X", names) }
        }
      }
      """,
      "app/src/main/res/values/strings.xml": Self.strings("a=A"),
    ]).android()
    #expect(resources.project?.variants == ["minimal", "full"])
  }

  /// A plug-in of the project's own may declare the flavors.
  @Test func aFolderOfResourcesImpliesAFlavor() throws {
    let resources = try ProjectFixture([
      "build.gradle.kts": "plugins { id(\"com.android.application\") }",
      "src/main/res/values/strings.xml": Self.strings("a=A"),
      "src/pro/res/values/strings.xml": Self.strings("p=P"),
    ]).android("src/main/res")
    #expect(resources.texts("default") == ["a": "A", "p": "P"])
    #expect(resources.project?.variants == [])
  }
}
