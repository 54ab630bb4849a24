import Foundation
import PackagePlugin

/// Puts files of the package into the binary: at each build, writes a Swift source with their text. Comments and
/// indentation of JavaScript and CSS stay out of it.
@main
struct EmbedFiles: BuildToolPlugin {
  /// What a target embeds: one file as `TYPE.text`, or several as `TYPE.files`.
  private struct Embedding {
    let target: String
    let type: String
    /// Relative to the package.
    let folder: String
    /// Files and folders in `folder`.
    let paths: [String]
    let member: String
  }

  private static let embeddings = [
    Embedding(
      target: "API", type: "OpenAPIDocument", folder: "Sources/API/OpenAPI", paths: ["openapi.json"],
      member: "text"),
    Embedding(
      target: "API", type: "ConsoleFiles", folder: "Sources/API/Console/Web",
      paths: [
        "index.html", "app", "details", "parts", "phones", "reading", "rules", "style", "texts", "views",
      ],
      member: "files"),
    Embedding(
      target: "AppStrings", type: "WidthTable", folder: "Sources/API/Console/Web/phones",
      paths: ["widths.json"], member: "text"),
    Embedding(
      target: "FCMEmulator", type: "PageFiles", folder: "Sources/FCMEmulator/Page/Web",
      paths: ["faults.js", "icon.svg", "inbox.js", "index.html", "parts.js", "style.css"], member: "files"),
    Embedding(
      target: "Gateway", type: "ExampleApp", folder: "config", paths: ["catalog.yaml", "example-app"],
      member: "files"),
  ]

  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let tool = try context.tool(named: "embed-files").url
    return try Self.embeddings.filter { $0.target == target.name }.map { embedding in
      let folder = context.package.directoryURL.appending(path: embedding.folder)
      let paths = try embedding.paths.flatMap { try Self.files(at: $0, in: folder) }
      let output = context.pluginWorkDirectoryURL.appending(path: "\(embedding.type)+embedded.swift")
      return .buildCommand(
        displayName: "Embedding \(embedding.folder) as \(embedding.type).\(embedding.member)",
        executable: tool,
        arguments: [output.path, embedding.type, embedding.member, folder.path] + paths,
        inputFiles: paths.map { folder.appending(path: $0) }, outputFiles: [output])
    }
  }

  /// `path` itself, or all files below it in the order of their names.
  private static func files(at path: String, in folder: URL) throws -> [String] {
    var isFolder: ObjCBool = false
    let full = folder.appending(path: path).path
    guard FileManager.default.fileExists(atPath: full, isDirectory: &isFolder), isFolder.boolValue else {
      return [path]
    }
    return try FileManager.default.subpathsOfDirectory(atPath: full).sorted()
      .map { "\(path)/\($0)" }
      .filter { path in
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(
          atPath: folder.appending(path: path).path, isDirectory: &isFolder)
        return exists && !isFolder.boolValue
      }
  }
}
