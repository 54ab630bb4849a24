import Catalog
import CatalogCheck
import FCMMessage
import JSON

extension Command {
  static let releases = Command(
    name: "releases",
    usage: "releases [--catalog FILE] [--format text|json]",
    summary: "Shows which template each release in use can display.",
    options: [
      catalogOption,
      (.value("format"), "text or json; text by default"),
    ]
  ) { options in
    let format = try options.choice("format", of: ["text", "json"])
    let catalog = try AppCatalog.examine(file: options.catalogFile()).catalog
    let progress = ProgressLine("reading releases")
    let releases = AppReleases(of: catalog)
    let matrix = ReleaseMatrix(
      of: catalog, releases, developmentLanguage: catalog.resources?.developmentLanguage)
    progress.finish()
    Output.print(format == "json" ? matrix.json.prettyPrinted : matrix.text(Terminal.style))
    var isReadable = true
    for platform in AppPlatform.allCases {
      for release in releases[platform] {
        guard let problem = release.unreadable else { continue }
        isReadable = false
        Output.note("\(catalog.file ?? ""):\(release.line): release \(release.version): \(problem.text)")
      }
    }
    if !isReadable { return .usage }
    return matrix.hasFaults ? .failure : .success
  }
}
