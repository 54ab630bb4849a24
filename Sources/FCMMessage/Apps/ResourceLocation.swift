/// Where a platform's strings are, as a catalog or a command line says it.
package struct ResourceLocation: Sendable, Equatable {
  /// A file or a folder; several folders of resources, of which earlier ones win.
  package let paths: [String]
  /// Whether the path is that of a project, even if it could be a folder of resources.
  package let isProject: Bool
  /// Android: the application module, such as `app` or `:apps:shop`; nil if there is only one.
  package let module: String?
  /// Android: the build variant, such as `playRelease`, or a flavor; nil for all.
  package let variant: String?
  /// iOS: the application target; nil if there is only one.
  package let target: String?
  /// The line of the catalog that names it; nil if none does.
  package let line: Int?

  package init(
    _ paths: [String], isProject: Bool = false, module: String? = nil, variant: String? = nil,
    target: String? = nil, line: Int? = nil
  ) {
    (self.paths, self.isProject, self.line) = (paths, isProject, line)
    (self.module, self.variant, self.target) = (module, variant, target)
  }

  package init(_ path: String) { self.init([path]) }

  /// The first path.
  package var path: String { paths.first ?? "" }
}
