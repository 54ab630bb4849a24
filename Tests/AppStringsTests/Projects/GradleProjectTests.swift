import JSON
import TestSupport
import Testing

@testable import AppStrings

/// Which strings of a Gradle project reach the app.
@Suite struct GradleProjectTests {
  private static let strings = ProjectFixture.strings

  /// An application, a library that it uses, one that this uses, and one that nobody uses.
  private static func project() throws -> ProjectFixture {
    try ProjectFixture([
      "settings.gradle.kts": """
      rootProject.name = "Shop" // include(":nothing")
      include(":app", ":push")
      include(
        ":core:ui-kit",
        ":unused",
      )
      """,
      "app/build.gradle.kts": """
      plugins { id("com.android.application"); kotlin("android") }
      android { defaultConfig { applicationId = "com.example.shop" } }
      dependencies {
        implementation(project(":push"))
        testImplementation(project(":unused"))
        implementation("androidx.core:core:1.0")
      }
      """,
      "push/build.gradle.kts": """
      plugins { id("com.android.library") }
      dependencies { api(projects.core.uiKit) }
      """,
      "core/ui-kit/build.gradle.kts": "plugins { id(\"com.android.library\") }",
      "unused/build.gradle.kts": "plugins { id(\"com.android.library\") }",
      "app/src/main/res/values/strings.xml": strings("title=App", "both=of app"),
      "push/src/main/res/values/strings.xml": strings("body=Push", "both=of push"),
      "push/src/main/res/values-de/strings.xml": strings("body=Schub"),
      "core/ui-kit/src/main/res/values/strings.xml": strings("deep=Deep"),
      "unused/src/main/res/values/strings.xml": strings("lost=Lost"),
    ])
  }

  @Test func readsTheModulesThatTheApplicationDependsOn() throws {
    let project = try Self.project()
    let resources = project.android()
    #expect(
      resources.texts("default") == ["title": "App", "both": "of app", "body": "Push", "deep": "Deep"])
    #expect(resources.texts("de") == ["body": "Schub"])
    #expect(resources.table("default")?["deep"]?.owner == "core:ui-kit")
    #expect(resources.table("default")?["both"]?.owner == "app")
    #expect(resources.outOfReach.keys.map(\.text) == ["lost"])
    let elsewhere = resources.elsewhere
    #expect(elsewhere.map { project.relative($0.path) } == ["unused/src/main/res"])
    #expect(elsewhere.first?.owner == "unused")
    #expect(elsewhere.first?.reason == "app does not depend on unused")
    #expect(resources.problems.isEmpty)
    #expect(resources.ownFolder == project.path("app/src/main/res"))
  }

  @Test(arguments: ["app", "app/src/main/res", "app/src/main/res/"])
  func findsTheProjectOfItsApplication(_ place: String) throws {
    let resources = try Self.project().android(place)
    #expect(resources.texts("default").keys.sorted() == ["body", "both", "deep", "title"])
  }

  /// The res folder of a library was named for its own sake.
  @Test func readsTheFolderOfALibraryByItself() throws {
    let resources = try Self.project().android("push/src/main/res")
    #expect(resources.texts("default") == ["body": "Push", "both": "of push"])
    #expect(resources.table("default")?["body"]?.owner == nil)
    #expect(resources.project == nil)
  }

  @Test func readsGroovyOfEveryStyle() throws {
    let resources = try ProjectFixture([
      "settings.gradle":
        "include ':app', 'lib'\ninclude \":tools:far\"\nproject(':tools:far').projectDir = file('far')",
      "app/build.gradle": """
      apply plugin: 'com.android.application'
      /* implementation project(':unused') */
      android {
        sourceSets { main { res.srcDirs = ['src/main/res', 'src/main/res-push'] } }
        sourceSets.main.res.srcDirs += 'more'
      }
      dependencies {
        implementation project(path: ':lib', configuration: 'default')
        releaseApi(project(':tools:far')) { transitive = false }
        debugImplementation project(':debugging')
      }
      """,
      "app/src/main/res/values/strings.xml": Self.strings("a=A"),
      "app/src/main/res-push/values/strings.xml": Self.strings("b=B"),
      "app/more/values/strings.xml": Self.strings("c=C"),
      "lib/build.gradle": "",
      "lib/src/main/res/values/strings.xml": Self.strings("d=D"),
      "far/build.gradle": "",
      "far/src/main/res/values/strings.xml": Self.strings("e=E"),
    ]).android()
    #expect(resources.texts("default") == ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"])
  }

  @Test func findsApplicationsByAliasConventionAndApplicationId() throws {
    for (build, extra) in [
      (
        "plugins { alias(libs.plugins.shop.app) }",
        [
          "gradle/libs.versions.toml": """
          [versions]
          agp = "8.5"
          [plugins]
          shop-app = { id = "com.android.application", version.ref = "agp" }
          """
        ]
      ),
      (
        "plugins { id(\"shop.android-app\") }",
        [
          "settings.gradle": "pluginManagement { includeBuild(\"plugins\") }\ninclude ':app', ':lib'",
          "plugins/src/main/kotlin/shop.android-app.gradle.kts": """
          plugins { id("com.android.application") }
          dependencies { implementation(project(":lib")) }
          """,
        ]
      ),
      ("android { defaultConfig { applicationId \"com.example\" } }", [:]),
    ] {
      var files = [
        "settings.gradle": "include ':app', ':lib'",
        "build.gradle":
          "plugins { id 'com.android.application' version '8' apply false }",
        "app/build.gradle": build, "lib/build.gradle": "",
        "app/src/main/res/values/strings.xml": Self.strings("a=A"),
      ]
      files.merge(extra) { _, new in new }
      #expect(try ProjectFixture(files).android().texts("default") == ["a": "A"])
    }
  }

  /// Their classes apply others, and depend on modules.
  @Test func readsThePlugInsThatAreClasses() throws {
    let resources = try ProjectFixture([
      "settings.gradle":
        "pluginManagement { includeBuild(\"plugins\") }\ninclude ':app', ':texts', ':unused'",
      "gradle/libs.versions.toml": """
      [plugins]
      shop-app = { id = "com.shop.application" }
      shop-texts = { id = "com.shop.texts" }
      android-application = { id = "com.android.application", version = "8" }
      """,
      "plugins/build.gradle.kts": """
      gradlePlugin {
        plugins {
          register("app") {
            id = libs.plugins.shop.app.get().pluginId
            implementationClass = "com.shop.AppPlugin"
          }
          register("texts") { id = "com.shop.texts"; implementationClass = "TextsPlugin" }
        }
      }
      """,
      "plugins/src/main/kotlin/AppPlugin.kt": """
      class AppPlugin : Plugin<Project> {
        override fun apply(target: Project) = with(target) {
          apply(plugin = libs.plugins.android.application.get().pluginId)
          pluginManager.apply("com.shop.texts")
        }
      }
      """,
      "plugins/src/main/kotlin/TextsPlugin.kt": """
      class TextsPlugin : Plugin<Project> {
        override fun apply(target: Project) {
          target.dependencies { "implementation"(project(":texts")) }
        }
      }
      """,
      "app/build.gradle.kts": """
      plugins { alias(libs.plugins.shop.app) }
      dependencies { listOf(one, two).forEach { add(it, libs.processor) } }
      """,
      "app/src/main/res/values/strings.xml": Self.strings("a=A"),
      "texts/build.gradle": "",
      "texts/src/main/res/values/strings.xml": Self.strings("t=T"),
      "unused/build.gradle": "",
      "unused/src/main/res/values/strings.xml": Self.strings("u=U"),
    ]).android()
    #expect(resources.texts("default") == ["a": "A", "t": "T"])
    #expect(resources.outOfReach.keys.map(\.text) == ["u"])
    #expect(resources.problems.isEmpty)
  }

  /// Nothing else says which modules the application has.
  @Test func saysOnceWhatABuildComputes() throws {
    let resources = try ProjectFixture([
      "settings.gradle.kts": "file(\"libs\").listFiles().forEach { include(it.name) }\ninclude(\":app\")",
      "app/build.gradle.kts": """
      plugins { id("com.android.application") }
      dependencies {
        allFeatures()
        known()
      }
      """,
      "buildSrc/src/main/kotlin/Known.kt":
        "fun DependencyHandlerScope.known() {\n  implementation(project(\":libs:known\"))\n}",
      "libs/known/build.gradle.kts": "", "libs/feature/build.gradle.kts": "",
      "app/src/main/res/values/strings.xml": Self.strings("a=A"),
      "libs/known/src/main/res/values/strings.xml": Self.strings("k=K"),
      "libs/feature/src/main/res/values/strings.xml": Self.strings("f=F"),
    ]).android()
    #expect(resources.texts("default") == ["a": "A", "k": "K", "f": "F"])
    #expect(resources.problems.map(\.kind) == [.remark])
    let note = try #require(resources.problems.first?.message)
    #expect(note.contains(":app computes dependencies (allFeatures)"))
    #expect(note.contains("android: [app/src/main/res, …]"))
  }

  @Test func readsResValues() throws {
    let project = try ProjectFixture([
      "build.gradle.kts": """
      plugins { id("com.android.application") }
      android {
        defaultConfig {
          resValue("string", "name", "Acme")
          resValue("bool", "flag", "true")
        }
        buildTypes { release { resValue("string", "computed", "Acme $version") } }
      }
      """,
      "src/main/res/values/strings.xml": Self.strings("a=A"),
    ])
    let table = try #require(project.android("src/main/res").table("default"))
    #expect(table.entries.keys.map(\.text).sorted() == ["a", "computed", "name"])
    #expect(table["name"]?.text == "Acme")
    #expect(table["name"]?.line == 4)
    #expect(table["name"].map { project.relative($0.file) } == "build.gradle.kts")
    #expect(table["computed"]?.isUnresolved == true)
  }

  @Test func severalApplicationsNeedAChoice() throws {
    let project = try ProjectFixture([
      "settings.gradle": "include ':phone', ':wear'",
      "phone/build.gradle": "apply plugin: 'com.android.application'",
      "wear/build.gradle": "apply plugin: 'com.android.application'",
      "phone/src/main/res/values/strings.xml": Self.strings("a=A"),
      "wear/src/main/res/values/strings.xml": Self.strings("w=W"),
    ])
    let problem = try #require(project.android().problems.first)
    #expect(problem.kind == .noResources)
    #expect(problem.message.contains("several applications: :phone, :wear. Choose one"))
    #expect(project.android(module: "wear").texts("default") == ["w": "W"])
    #expect(project.android(module: ":phone").texts("default") == ["a": "A"])
    let unknown = try #require(project.android(module: "tv").problems.first?.message)
    #expect(unknown.contains("no module tv. Its applications are :phone, :wear"))
  }

  @Test func followsNoLinkOutOfTheProject() throws {
    let outside = try ProjectFixture([
      "lib/build.gradle": "", "lib/src/main/res/values/strings.xml": Self.strings("stolen=S"),
      "strings.xml": Self.strings("stolen=S"),
    ])
    let project = try ProjectFixture([
      "settings.gradle": "include ':app', ':lib'",
      "app/build.gradle":
        "apply plugin: 'com.android.application'\ndependencies { implementation project(':lib') }",
      "app/src/main/res/values/strings.xml": Self.strings("a=A"),
    ])
    try project.link("lib", to: outside.path("lib"))
    try project.link("app/src/main/res/values/other.xml", to: outside.path("strings.xml"))
    let resources = project.android()
    #expect(resources.texts("default") == ["a": "A"])
    #expect(
      resources.problems.allSatisfy { $0.kind == .remark && $0.message.contains("leads out of the project") })
    #expect(!resources.problems.isEmpty)
  }

  @Test func readsWhateverABuildFileContains() throws {
    for script in [
      "", "{", "}}}}", "\"", "'''", "\"${", "((((", "include(", "/*", "`", "\\", "\u{0}\u{FFFD}",
      String(repeating: "{", count: 10_000), String(repeating: "android{productFlavors{a{", count: 500),
    ] {
      let resources = try ProjectFixture([
        "build.gradle": "apply plugin: 'com.android.application'\n" + script,
        "settings.gradle": script, "src/main/res/values/strings.xml": Self.strings("a=A"),
      ]).android("src/main/res")
      #expect(resources.texts("default") == ["a": "A"])
    }
  }
}
