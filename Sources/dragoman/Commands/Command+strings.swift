import AppArchives
import AppStrings
import Catalog
import CatalogCheck
import FCMMessage
import Gateway
import JSON

extension Command {
  static let strings = Command(
    name: "strings",
    usage:
      "strings (--android PATH… [--module M] [--variant V] | --ios PATH… [--target T]) [--locale L]… [--key K]… "
      + "[--format text|json]",
    summary: "Prints an app's string resources as Dragoman reads them.",
    options: [
      (
        .paths("android"),
        "a Gradle project, a res folder with values*/*.xml, an .apk, .aab or .apks, or a snapshot; repeatable for "
          + "res folders, of which earlier ones win"
      ),
      (
        .paths("ios"),
        "an Xcode project, a folder with *.lproj or *.xcstrings, an .ipa, .app or .xcarchive, or a snapshot; "
          + "repeatable for folders"
      ),
      (.value("module"), "the application module of a Gradle project, such as app"),
      (.value("variant"), "the build variant or flavor, such as playRelease; all by default"),
      (.value("target"), "the application target of an Xcode project"),
      (.list("locale"), "such as default or fr-CA for Android, pt-BR or Base for iOS; repeatable"),
      (.list("key"), "a key, in which * matches anything; repeatable"),
      (.value("format"), "text or json; text by default"),
    ]
  ) { options in
    let format = try options.choice("format", of: ["text", "json"])
    let platforms = AppPlatform.allCases.filter { options.has($0.rawValue) }
    guard platforms.count == 1, let platform = platforms.first else {
      throw UsageError(message: "name the strings with exactly one of --android PATH and --ios PATH")
    }
    let progress = ProgressLine("reading string resources")
    let resources = StringResources.read(platform, from: try options.location(platform))
    progress.finish()
    let selection = StringSelection(locales: options.all("locale"), keys: options.all("key"))
    if let unknown = selection.unknownLocales(in: resources).first, !resources.tables.isEmpty {
      let known = resources.tables.map(\.name).joined(separator: ", ")
      throw UsageError(message: "--locale \(unknown): unknown locale; the locales are \(known)")
    }
    if format == "json" {
      resources.json(selection) { Output.print($0, terminator: "") }
    } else {
      resources.text(selection, Terminal.style) { Output.print($0, terminator: "") }
      for problem in resources.problems { Output.note(problem.text) }
    }
    return resources.problems.contains { $0.kind == .noResources } ? .usage : .success
  }
}

extension Options {
  /// The strings that the options name.
  fileprivate func location(_ platform: AppPlatform) throws(UsageError) -> ResourceLocation {
    let ofOther = platform == .android ? ["target"] : ["module", "variant"]
    if let option = ofOther.first(where: has) {
      throw UsageError(message: "--\(option) is not for --\(platform.rawValue)")
    }
    return ResourceLocation(
      all(platform.rawValue), module: self["module"], variant: self["variant"], target: self["target"])
  }

  /// The option's value, which must be one of `known`; the first of them is the default.
  func choice(_ name: String, of known: [String]) throws(UsageError) -> String {
    guard let text = self[name] else { return known.first ?? "" }
    guard known.contains(text) else {
      throw UsageError(message: "--\(name) \(text): must be one of \(known.joined(separator: ", "))")
    }
    return text
  }
}
