import TestSupport

/// Two apps with one template per rule, one of them with a planted fault for each.
struct FaultyApp {
  let folder: TemporaryFolder
  private let isFaulty: Bool

  init(isFaulty: Bool) throws {
    folder = try TemporaryFolder()
    self.isFaulty = isFaulty
    try writeCatalog()
    try writeAndroid()
    try writeIOS()
  }

  private func either(_ faulty: String, _ clean: String) -> String { isFaulty ? faulty : clean }

  private func writeCatalog() throws {
    try folder.write(
      """
      version: 1
      resources: {android: res, ios: App, development_language: en}
      templates:
        greeting:
          params:
            name: {type: string, max_length: 40}
            \(either("idle: {type: integer}", "# none"))
          title: {android: title, ios: TITLE, args: [name]}
          body: {android: body, ios: BODY, args: [name, name]}
          fallback: {title: "\(either("100%", "All"))"\(either("", ", body: News."))}
          \(either("android: {notification: {title: Hi}}", "collapse_key: greeting"))
        plain:
          body: {android: plain, ios: PLAIN}
          fallback: {body: Plain.}
        large:
          params: {text: {type: string, max_length: \(either("2000", "100"))}}
          body: {android: large, ios: LARGE, args: [text]}
          fallback: {body: Large.}
      """, to: "catalog.yaml")
  }

  private func writeAndroid() throws {
    try folder.write(
      """
      <resources xmlns:tools="http://schemas.android.com/tools"
        tools:keep="@string/title,@string/body,@string/plain\(either("", ",@string/large"))" />
      """, to: "res/raw/keep.xml")
    func android(_ title: String, _ body: String, _ plain: String, _ more: String = "") -> String {
      """
      <resources>
        <string name="title">\(title)</string>
        <string name="body">\(body)</string>
        <string name="plain">\(plain)</string>
        \(more)
      </resources>
      """
    }
    let large = "<string name=\"large\">%1$s</string>"
    try folder.write(android("Hi %1$s", "%1$s and %2$s", "Plain", large), to: "res/values/strings.xml")
    try folder.write(
      android(
        either("%1$d", "%1$s"), either("%1$s et %2$s 50%", "%2$s et %1$s"), either("%s", "Net"),
        either("", large)),
      to: "res/values-fr/strings.xml")
    try folder.write(
      android(either("%1$@", "%1$s"), either("%1$s %2$s %3$s", "%1$s %2$s"), either("", "Klar"), large),
      to: "res/values-de/strings.xml")
    try folder.write(
      either("<resources><string name=\"title\">", android("%1$s", "%1$s %2$s", "Klart", large)),
      to: "res/values-sv/strings.xml")
    if isFaulty { try folder.write(android("x", "x", "x"), to: "res/values-en_GB/strings.xml") }
  }

  private func writeIOS() throws {
    func ios(
      _ title: String, _ body: String, _ plain: String, _ more: String = "\"LARGE\" = \"%1$@\";"
    ) -> String {
      """
      "TITLE" = "\(title)";
      "BODY" = "\(body)";
      "PLAIN" = "\(plain)";
      \(more)
      """
    }
    try folder.write(
      ios("Hi %1$@", "%1$@ and %2$@", "Plain", either("", "\"LARGE\" = \"%1$@\";")),
      to: "App/en.lproj/Localizable.strings")
    if isFaulty { try folder.write("\"LARGE\" = \"%1$@\";", to: "App/en.lproj/Push.strings") }
    try folder.write(
      ios(
        either("%1$s", "%1$@"), either("%@ %2$@", "%2$@ %1$@"), "Net",
        either("\"PLAIN\" = \"Deux\";", "\"LARGE\" = \"%1$@\";")),
      to: "App/fr.lproj/Localizable.strings")
    try folder.write(
      ios("%1$@", either("%@ %@", "%1$@ %2$@"), "Klar", either("", "\"LARGE\" = \"%1$@\";")),
      to: "App/de.lproj/Localizable.strings")
  }

  func run(_ arguments: String...) throws -> DragomanProcess.Result {
    try DragomanProcess.run(arguments + ["--catalog", "\(folder.path)/catalog.yaml"])
  }
}
