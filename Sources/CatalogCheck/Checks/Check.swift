internal import AppStrings
package import Catalog
internal import FCMMessage
internal import JSON

/// `check`: compares a catalog with every translation in the app's string resources.
package struct Check {
  let catalog: Catalog
  let resources: AppResources?
  let releases: AppReleases

  package init(
    _ catalog: Catalog, against resources: AppResources?, releases: AppReleases = AppReleases()
  ) {
    (self.catalog, self.resources, self.releases) = (catalog, resources, releases)
  }

  /// Runs every rule. `progress` receives the number of templates that are done.
  package func report(progress: (Int) -> Void = { _ in }) -> CheckReport {
    var findings: [Finding] = []
    var keys = KeyChecks(resources: resources)
    let reading = ReadingFindings(resources)
    let inReleases =
      releases.isEmpty ? nil : ReleaseChecks(catalog, next: resources, releases: releases)
    var uses: [KeyUse] = []
    for (index, template) in catalog.templates.enumerated() {
      findings += templateFindings(template)
      for use in template.keyUses {
        findings += (keys.findings(of: use) + reading.findings(of: use)).map { placed($0, use) }
        uses.append(use)
      }
      findings += inReleases?.findings(of: template, at: index) ?? []
      progress(index + 1)
    }
    findings += inReleases?.findings ?? []
    findings += reading.others(than: uses)
    return CheckReport(
      findings: findings, ignoring: catalog.ignored, releases: inReleases?.matrix)
  }

  /// A finding about a key, at the place in the catalog that uses the key.
  private func placed(_ finding: Finding, _ use: KeyUse) -> Finding {
    var finding = finding
    finding.template = use.template
    finding.slot = use.slot
    finding.platform = use.platform
    finding.key = use.text.key
    if finding.file == nil {
      finding.file = catalog.file
      finding.line = use.text.line
    }
    return finding
  }
}

/// A place of a catalog that names a key.
struct KeyUse: Sendable {
  let template: String
  let slot: TextSlot.Name
  let platform: AppPlatform
  let text: LocText
}

extension Template {
  /// Every key of every slot including variants, each once with its args.
  var keyUses: [KeyUse] {
    slots.flatMap { slot in
      AppPlatform.allCases.flatMap { platform in
        var seen: [LocText] = []
        for text in slot.allTexts(on: platform)
        where !seen.contains(where: { $0.key.hasSameBytes(as: text.key) && $0.args == text.args }) {
          seen.append(text)
        }
        return seen.map { KeyUse(template: name, slot: slot.name, platform: platform, text: $0) }
      }
    }
  }
}
