import AppArchives
import AppStrings
import CatalogCheck
import FCMMessage

extension Command {
  static let initialize = Command(
    name: "init",
    usage: "init [--android PATH] [--ios PATH] [--prefix push_] [--output FILE]",
    summary: "Prints a first catalog from the keys that both apps have, as a draft for you to edit.",
    options: [
      (.value("android"), "a res folder with values*/*.xml, an .apk, .aab or .apks, or a snapshot"),
      (.value("ios"), "a folder with *.lproj or *.xcstrings, an .ipa, .app or .xcarchive, or a snapshot"),
      (.value("prefix"), "uses only keys with this prefix, in either platform's spelling"),
      (.value("output"), "writes the catalog to this new file and names the folders from there"),
    ]
  ) { options in
    guard options.has("android") || options.has("ios") else {
      throw UsageError(message: "missing path; use --android PATH, --ios PATH or both")
    }
    let progress = ProgressLine("reading string resources")
    let android = options["android"].map { StringResources.read(.android, from: $0) }
    let ios = options["ios"].map { StringResources.read(.ios, from: $0) }
    progress.finish()
    for problem in (android?.problems ?? []) + (ios?.problems ?? []) { Output.note(problem.text) }
    do throws(FirstCatalogError) {
      let place = options["output"].map { CatalogPlace(file: $0, currentFolder: Terminal.currentFolder) }
      let catalog = try FirstCatalog(
        android: android, ios: ios, prefix: options["prefix"], movedFrom: place)
      if let file = options["output"] {
        if let reason = Output.create(file, catalog.yaml) {
          Output.note("dragoman init: cannot write \(file): \(reason)")
          return .failure
        }
      } else {
        Output.print(catalog.yaml)
      }
      Output.note("\(catalog.templateCount) \(catalog.templateCount == 1 ? "template" : "templates")")
      return .success
    } catch {
      switch error.code {
      case .noStrings: throw UsageError(message: "\(error.folder ?? "the folder") holds no strings")
      case .noKeys:
        Output.note("dragoman init: no key exists on both platforms and has the prefix")
        return .failure
      }
    }
  }
}
