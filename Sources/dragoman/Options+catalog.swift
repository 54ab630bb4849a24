import Foundation

extension Command {
  /// Where a catalog is looked for without `--catalog`, in this order.
  static let catalogPlaces = ["config/catalog.yaml", "catalog.yaml"]

  /// The option that names the catalog.
  static let catalogOption = (
    syntax: OptionSyntax.path("catalog"),
    help: "the catalog; \(catalogPlaces.joined(separator: " or ")) by default"
  )
}

extension Options {
  /// The catalog that `--catalog` names, otherwise the first one in a usual place.
  func catalogFile() throws(UsageError) -> String {
    if let file = self["catalog"] { return file }
    guard let found = Command.catalogPlaces.first(where: { FileManager.default.fileExists(atPath: $0) })
    else {
      throw UsageError(
        message:
          "there is no \(Command.catalogPlaces.joined(separator: " and no ")) here; name the catalog with "
          + "--catalog FILE, or make a first one with `dragoman init`")
    }
    return found
  }
}
