import Gateway
import JSON

extension Command {
  static let doctor = Command(
    name: "doctor",
    usage: "doctor [--config FILE] [--format text|json]",
    summary:
      "Checks an installation as serve would use it, and says what to do; exits with 1 if something is wrong.",
    details: """
      Checks the configuration, its files, the strings, the queue, the disk, the names of hosts, the clock, and for
      each app the access token, the project and the role, by a message to a topic that FCM validates and delivers to
      nobody. Changes nothing and prints no secret. Run it as the gateway's user, with the gateway's environment.
      """,
    options: [
      (.path("config"), "the configuration; \(defaultConfiguration) by default"),
      (
        .value("format"),
        "text or json, which has the configuration without its secrets, too; text by default"
      ),
    ]
  ) { options in
    let format = try options.choice("format", of: ["text", "json"])
    let progress = ProgressLine("checking")
    let diagnosis = await Doctor(file: options["config"] ?? defaultConfiguration).diagnose()
    progress.finish()
    Output.print(format == "json" ? diagnosis.json.prettyPrinted : diagnosis.text)
    return diagnosis.failedCount == 0 ? .success : .failure
  }
}
