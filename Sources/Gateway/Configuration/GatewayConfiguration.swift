package import DeliveryReports
package import API
package import Feedback
package import HTTPServer
package import SQL
package import YAML

/// The effective configuration of `dragoman serve`, every default filled in.
package struct GatewayConfiguration: Sendable {
  package struct Server: Sendable, Equatable {
    package var listen = HTTPListenAddress.tcp(host: "127.0.0.1", port: 8080)
    /// Names of the gateway besides those that every machine has, for callers without keys.
    package var allowedHosts: [String] = []
    /// The path below which callers reach the gateway: `/push`, or "".
    package var publicPath = ""
    /// Whether a proxy says that path in `X-Forwarded-Prefix`.
    package var trustsForwarded = false
    package var tls: TLS?
    package var connectionsMax = 10_000
    package var bodyBytesMax = 1_048_576
    package var headerTimeout = Duration.seconds(10)
    package var bodyTimeout = Duration.seconds(30)
    package var idleTimeout = Duration.seconds(75)
    package var shutdownGrace = Duration.seconds(20)
  }

  package struct TLS: Sendable, Equatable {
    package var certificate: String
    package var key: String
    package var clientCA: String?
  }

  package struct Auth: Sendable {
    package var clients: [ClientGrant] = []
    package var allowAnonymous = false
  }

  package enum CredentialsSource: Sendable, Equatable {
    /// No credentials: for an emulator.
    case none
    case file(String)
    /// Application Default Credentials.
    case applicationDefault
  }

  /// What is done with messages that are given as a whole.
  package struct RawMessages: Sendable, Equatable {
    /// Where an app's strings are, if not where the catalog says.
    package struct Resources: Sendable, Equatable {
      package var android: String?
      package var ios: String?
      package var developmentLanguage: String?
    }

    package var check = RawMessagePolicy.Check.report
    package var resources: Resources?
  }

  package struct App: Sendable {
    package var name: String
    package var catalog: String
    package var credentials = CredentialsSource.applicationDefault
    package var projectID: String?
    package var endpoint = "https://fcm.googleapis.com"
    package var caFile: String?
    /// FCM's default quota is 600,000 messages a minute for each project.
    package var rate = RequestRate(perSecond: 10_000)
    package var raw = RawMessages()

    package init(name: String, catalog: String) {
      self.name = name
      self.catalog = catalog
    }
  }

  package struct Queue: Sendable, Equatable {
    package enum Store: Sendable, Equatable {
      case sqlite(path: String)
      case postgres(PostgresURL)
    }

    package var store = Store.sqlite(path: "data/queue.db")
    package var depthMax = 1_000_000
    /// The part of `depthMax` that one client may use, if there are several.
    package var clientSharePercent = 50
    /// The maximum number of targets of all notifications in a batch together.
    package var batchTargetsMax = 10_000
    package var retention = Duration.seconds(72 * 3600)
    /// How long after a gateway's last renewal other gateways may take over its claims. PostgreSQL only.
    package var lease = Duration.seconds(30)
    /// How long a caller waits for the queue before it gets an error.
    package var writeTimeout = Duration.seconds(5)

    /// The file for the charts' past, beside a queue that is a file; nil for PostgreSQL.
    package var historyPath: String? {
      if case .sqlite(let path) = store { "\(path)-history" } else { nil }
    }
  }

  package struct Delivery: Sendable, Equatable {
    package var attemptsMax = 12
    package var minBackoff = Duration.seconds(10)
    package var maxBackoff = Duration.seconds(900)
    package var quotaBackoff = Duration.seconds(60)
    package var ramp = Duration.seconds(60)
    package var maxAge = Duration.seconds(24 * 3600)
    package var requestTimeout = Duration.seconds(10)
  }

  package struct Webhook: Sendable, Equatable {
    package var url: WebhookURL
    /// The first signs; the others are those of a rotation.
    package var secrets: [WebhookSecret]
    /// At least one.
    package var events = WebhookEventType.standard
  }

  package enum LogFormat: String, Sendable, CaseIterable { case json, text }
  package enum LogLevel: String, Sendable, CaseIterable { case debug, info, warning, error }

  package struct Logging: Sendable, Equatable {
    package var level = LogLevel.info
    package var format = LogFormat.json
  }

  package var server = Server()
  package var auth = Auth()
  /// In the file's order; at least one.
  package var apps: [App] = []
  package var queue = Queue()
  package var delivery = Delivery()
  package var webhook: Webhook?
  package var log = Logging()
  /// The environment variables that look like fields and are none, as problems.
  package internal(set) var unknownVariables: [ConfigurationProblem] = []

  package init() {}
}
