// swift-tools-version: 6.2

import PackageDescription

let plainSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

// What `make fuzz` runs under libFuzzer. The sanitizers go into every module, for libFuzzer to see their branches, but
// not into the tools that run during the build.
let isFuzzed = Context.environment["DRAGOMAN_FUZZ"] != nil
let sanitizers = "-sanitize=fuzzer,address"
let settings = plainSettings + (isFuzzed ? [.unsafeFlags(["-enable-testing", sanitizers])] : [])

func module(
  _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
  linkerSettings: [LinkerSetting] = [], plugins: [Target.PluginUsage] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings,
    linkerSettings: linkerSettings, plugins: plugins)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

let package = Package(
  name: "dragoman",
  products: [.executable(name: "dragoman", targets: ["dragoman"])],
  targets: [
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CJemalloc", providers: [.apt(["libjemalloc-dev"])]),
    .systemLibrary(name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // Text files of the package, in the binary.
    .executableTarget(name: "embed-files", path: "Plugins/embed-files", swiftSettings: plainSettings),
    .plugin(name: "EmbedFiles", capability: .buildTool(), dependencies: ["embed-files"]),

    module("JSON"),
    module("Clock", ["CLinux"]),
    module("YAML", ["CYAML", "JSON"]),
    module("Telemetry", ["Clock", "JSON"]),
    module("FCMMessage", ["Clock", "JSON"]),
    module("HTTPServer", ["CLinux", "Clock", "COpenSSL", "Telemetry"]),
    // Foundation has ICU inside, with CLDR's plural rules and its formats of numbers and dates.
    module("LocaleRules", linkerSettings: [.linkedLibrary("_FoundationICU")]),
    module("Catalog", ["Clock", "FCMMessage", "JSON", "LocaleRules", "YAML"]),
    // Foundation has ICU inside; it is asked directly for what Foundation does not offer: Apple's own matching of
    // an app's localizations to a user's languages, and where the words of Thai end.
    module(
      "AppStrings", ["CExpat", "FCMMessage", "JSON", "YAML"],
      linkerSettings: [.linkedLibrary("_FoundationICU")], plugins: ["EmbedFiles"]
    ),
    module("StringSources", ["AppStrings", "FCMMessage", "JSON", "LocaleRules", "YAML"]),
    module("AppArchives", ["AppStrings", "CZlib", "FCMMessage", "JSON"]),
    module(
      "CatalogCheck",
      [
        "AppArchives", "AppStrings", "Catalog", "Clock", "FCMMessage", "JSON", "LocaleRules",
        "StringSources", "YAML",
      ]),
    module("SQL", ["CLZ4", "CLinux", "CPostgres", "CSQLite", "Clock"]),
    module("SendingLimits", ["Clock", "FCMMessage", "JSON", "SQL"]),
    module("Outbox", ["Clock", "FCMMessage", "JSON", "SendingLimits", "SQL", "Telemetry"]),
    module("QueueRepair", ["Clock", "FCMMessage", "JSON", "Outbox", "SQL"]),
    module("HTTPClient", ["CCurl", "CNghttp2", "COpenSSL", "Clock", "Telemetry"]),
    module("GoogleAuth", ["COpenSSL", "Clock", "HTTPClient", "JSON", "Telemetry"]),
    module("FCM", ["Clock", "GoogleAuth", "HTTPClient", "JSON", "Telemetry"]),
    // What the API needs of the two below it, so that the three compile side by side.
    module("DeliveryReports", ["Clock", "FCM", "FCMMessage", "JSON", "Outbox", "Telemetry"]),
    module(
      "Delivery", ["Clock", "DeliveryReports", "FCM", "FCMMessage", "Outbox", "SendingLimits", "Telemetry"]),
    module(
      "Feedback", ["COpenSSL", "Clock", "DeliveryReports", "HTTPClient", "JSON", "Outbox", "Telemetry"]),
    module(
      "FCMEmulator", ["FCMMessage", "HTTPServer", "JSON", "Telemetry"], exclude: ["Page/Web"],
      plugins: ["EmbedFiles"]),
    module(
      "API",
      [
        "AppStrings", "COpenSSL", "CZlib", "Catalog", "CatalogCheck", "Clock", "DeliveryReports", "FCM",
        "FCMMessage", "HTTPServer", "JSON", "LocaleRules", "Outbox", "SendingLimits", "Telemetry",
      ], exclude: ["Console/Web", "OpenAPI/openapi.json"], plugins: ["EmbedFiles"]),
    module(
      "Gateway",
      [
        "API", "AppStrings", "CJemalloc", "CLinux", "Catalog", "CatalogCheck", "Clock", "Delivery",
        "DeliveryReports", "FCM", "FCMEmulator", "FCMMessage", "Feedback", "GoogleAuth", "HTTPClient",
        "HTTPServer", "JSON", "Outbox",
        "QueueRepair", "SQL", "Telemetry", "YAML",
      ], plugins: ["EmbedFiles"]),
    .executableTarget(
      name: "dragoman",
      dependencies: [
        "API", "AppArchives", "AppStrings", "Catalog", "CatalogCheck", "FCMEmulator", "FCMMessage", "Gateway",
        "HTTPClient", "HTTPServer", "JSON", "QueueRepair", "Telemetry", "YAML",
      ],
      swiftSettings: settings),

    .target(
      name: "TestSupport", dependencies: ["COpenSSL", "JSON"], path: "Tests/Support", swiftSettings: settings),
    .target(
      name: "OutboxModel", dependencies: ["Clock", "FCMMessage", "JSON", "Outbox", "SendingLimits"],
      path: "Tests/OutboxModel",
      swiftSettings: settings),
    tests("TidyTests", []),
    tests("ClockTests", ["Clock"]),
    tests("JSONTests", ["JSON", "TestSupport"]),
    tests("YAMLTests", ["JSON", "YAML"]),
    tests("FCMMessageTests", ["FCMMessage", "JSON"], resources: [.copy("Fixtures")]),
    tests("TelemetryTests", ["Clock", "JSON", "Telemetry"]),
    tests("HTTPServerTests", ["COpenSSL", "Clock", "HTTPServer", "Telemetry", "TestSupport"]),
    tests("LocaleRulesTests", ["LocaleRules"]),
    tests(
      "CatalogTests", ["Catalog", "FCMMessage", "JSON", "LocaleRules", "YAML"],
      resources: [.copy("Corpus")]),
    tests(
      "AppStringsTests", ["AppStrings", "FCMMessage", "JSON", "TestSupport"], resources: [.copy("Fixtures")]),
    tests(
      "StringSourcesTests",
      ["AppStrings", "FCMMessage", "JSON", "LocaleRules", "StringSources", "TestSupport"]),
    tests(
      "AppArchivesTests", ["AppArchives", "AppStrings", "CZlib", "FCMMessage", "JSON"],
      resources: [.copy("Fixtures")]),
    tests(
      "CatalogCheckTests",
      [
        "AppArchives", "AppStrings", "Catalog", "CatalogCheck", "Clock", "FCMMessage", "JSON", "LocaleRules",
        "TestSupport",
      ]),
    tests("SendingLimitsTests", ["Clock", "SendingLimits", "TestSupport"]),
    tests("SQLTests", ["CSQLite", "Clock", "SQL", "TestSupport"]),
    tests(
      "OutboxTests",
      [
        "CPostgres", "CSQLite", "Clock", "FCMMessage", "JSON", "Outbox", "OutboxModel", "SendingLimits",
        "SQL", "Telemetry", "TestSupport",
      ]),
    tests(
      "QueueRepairTests",
      ["Clock", "FCMMessage", "JSON", "Outbox", "QueueRepair", "SQL", "Telemetry", "TestSupport"]),
    tests("HTTPClientTests", ["Clock", "HTTPClient", "Telemetry", "TestSupport"]),
    tests("GoogleAuthTests", ["COpenSSL", "GoogleAuth", "HTTPClient", "JSON", "Telemetry", "TestSupport"]),
    tests("FCMTests", ["FCM", "GoogleAuth", "HTTPClient", "HTTPServer", "JSON", "Telemetry", "TestSupport"]),
    tests(
      "DeliveryTests",
      [
        "Clock", "Delivery", "DeliveryReports", "FCM", "FCMMessage", "GoogleAuth", "HTTPClient", "Outbox",
        "OutboxModel", "SendingLimits", "Telemetry", "TestSupport",
      ]),
    tests(
      "FeedbackTests",
      [
        "Clock", "DeliveryReports", "FCMMessage", "Feedback", "HTTPClient", "HTTPServer", "JSON", "Outbox",
        "SQL", "Telemetry",
        "TestSupport",
      ]),
    tests("FCMEmulatorTests", ["FCMEmulator", "FCMMessage", "HTTPServer", "JSON", "Telemetry"]),
    tests(
      "GatewayTests",
      [
        "API", "AppStrings", "CJemalloc", "CZlib", "Catalog", "CatalogCheck", "Clock", "Delivery",
        "DeliveryReports", "FCM", "FCMEmulator",
        "FCMMessage", "Feedback", "Gateway", "GoogleAuth", "HTTPClient", "HTTPServer", "JSON", "Outbox",
        "OutboxModel", "SQL", "StringSources", "Telemetry", "TestSupport", "YAML", "dragoman",
      ]),
  ]
)

// `make tsan` and `make test TESTS=rest` build only the tests that they run, with what these need.
if let tests = Context.environment["TESTED_MODULES"] {
  var needed = Set(tests.split(separator: "|").map(String.init))
  // The dependencies of a target are above it.
  for target in package.targets.reversed() where needed.contains(target.name) {
    for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
    for case .plugin(let name, _) in target.plugins ?? [] { needed.insert(name) }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}

// What `make bench` measures in process; not part of any other build, since it looks behind the modules' access.
if Context.environment["DRAGOMAN_BENCHMARK_PARTS"] != nil {
  package.targets += [
    .target(name: "Allocations", path: "Benchmarks/Allocations"),
    .executableTarget(
      name: "benchmark-parts",
      dependencies: [
        "API", "Allocations", "Catalog", "CatalogCheck", "Clock", "FCM", "FCMMessage", "Gateway",
        "HTTPClient", "HTTPServer",
        "JSON",
        "Outbox",
        "Telemetry",
      ],
      path: "Benchmarks/Parts", swiftSettings: settings),
  ]
}

// Not part of any other build.
if isFuzzed {
  let fuzzed: [(name: String, modules: [Target.Dependency])] = [
    ("HTTP", ["HTTPServer"]), ("JSON", ["JSON"]),
    ("Archives", ["AppArchives", "AppStrings", "FCMMessage", "JSON"]),
    (
      "Intake",
      [
        "API", "AppStrings", "Catalog", "CatalogCheck", "Clock", "FCM", "FCMMessage", "Gateway", "JSON",
        "Outbox",
      ]
    ),
  ]
  package.targets += [.systemLibrary(name: "CFuzzer", path: "Fuzz/CFuzzer")]
  package.targets += fuzzed.map { name, modules in
    .executableTarget(
      name: "fuzz-\(name.lowercased())", dependencies: ["CFuzzer"] + modules, path: "Fuzz/\(name)",
      swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags([sanitizers])])
  }
}
