internal import FCMMessage
internal import JSON
internal import YAML

extension CatalogReader {
  enum PlatformField: String, CaseIterable {
    case android, ios
  }

  enum ReleaseField: String, CaseIterable {
    case version, resources
  }

  func readReleases(_ field: YAMLField) -> CatalogReleases {
    guard let fields = field.fields(PlatformField.self) else { return .none }
    return CatalogReleases(
      android: fields[.android].map(readReleaseList) ?? [], ios: fields[.ios].map(readReleaseList) ?? [])
  }

  func readSince(_ field: YAMLField) -> ReleaseFloor {
    guard let fields = field.fields(PlatformField.self) else { return .none }
    return ReleaseFloor(
      android: fields[.android].flatMap(readVersion), ios: fields[.ios].flatMap(readVersion))
  }

  private func readReleaseList(_ field: YAMLField) -> [CatalogReleases.Release] {
    var releases: [CatalogReleases.Release] = []
    let elements = field.elements() ?? []
    if elements.count > CatalogReleases.countMax {
      field.report("more than \(CatalogReleases.countMax) releases; list only those that users still have")
    }
    for element in elements.prefix(CatalogReleases.countMax) {
      guard let fields = element.fields(ReleaseField.self) else { continue }
      let version = fields.required(.version).flatMap(readVersion)
      guard let resources = fields.required(.resources)?.nonEmptyString(), let version else { continue }
      if let other = releases.first(where: { $0.version == version }) {
        fields[.version]?.report("the same version as in line \(other.line); list each release once")
        continue
      }
      releases.append(
        CatalogReleases.Release(version: version, resources: resolved(resources), line: element.node.line))
    }
    return releases.sorted { $0.version < $1.version }
  }

  /// A version as written: `4.10` without quotes is not the number 4.1.
  private func readVersion(_ field: YAMLField) -> ReleaseVersion? {
    guard let scalar = field.node.scalar, !field.node.isNull else {
      field.report("expected a version such as 4.1.0, not \(field.node.kindName)")
      return nil
    }
    guard let version = ReleaseVersion(scalar.text) else {
      field.report(
        "must be a version that begins with a number, such as 4.1.0, of at most \(ReleaseVersion.bytesMax) bytes"
      )
      return nil
    }
    return version
  }
}
