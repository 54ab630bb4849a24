internal import FCMMessage
internal import JSON
internal import YAML

extension CatalogReader {
  enum AndroidLocationField: String, CaseIterable {
    case project, module, variant
  }

  enum IOSLocationField: String, CaseIterable {
    case project, target
  }

  /// The most folders that one app can be listed with.
  private static let foldersMax = 1_000

  /// A path, a list of folders, or a project with what to choose in it.
  func readLocation<Name>(_ field: YAMLField, _ names: Name.Type) -> ResourceLocation?
  where Name: CaseIterable & Hashable & RawRepresentable, Name.RawValue == String {
    let line = field.node.line
    if field.node.sequence != nil {
      let paths = (field.elements() ?? []).compactMap { $0.nonEmptyString() }.map(resolved)
      if paths.isEmpty { field.report("must name at least one folder") }
      if paths.count > Self.foldersMax { field.report("more than \(Self.foldersMax) folders") }
      return paths.isEmpty ? nil : ResourceLocation(paths, line: line)
    }
    guard field.node.mapping != nil else {
      return field.nonEmptyString().map { ResourceLocation([resolved($0)], line: line) }
    }
    guard let fields = field.fields(names) else { return nil }
    func text(_ name: String) -> String? { Name(rawValue: name).flatMap { fields[$0]?.nonEmptyString() } }
    guard let project = Name(rawValue: "project").flatMap({ fields.required($0)?.nonEmptyString() }) else {
      return nil
    }
    return ResourceLocation(
      [resolved(project)], isProject: true, module: text("module"), variant: text("variant"),
      target: text("target"), line: line)
  }
}
