internal import Delivery
internal import Dispatch
internal import HTTPServer
internal import Outbox
internal import Telemetry

/// The resources of the API, one value each, and the routes that they answer.
final class APIResources: Sendable {
  private let notifications: NotificationsResource
  private let batch: BatchResource
  private let feedback: FeedbackResource
  private let stats: StatsResource
  private let templates: TemplatesResource
  private let preview: PreviewResource
  private let health: HealthResource
  private let metrics: MetricsResource
  private let openAPI: OpenAPIResource
  private let console = ConsoleResource()
  private let problems = ProblemsResource()

  init(
    state: APIState, store: any OutboxStore, engine: DeliveryEngine, metrics: DragomanMetrics,
    logins: LoginGuard, log: Log
  ) {
    // For what takes too long for an event loop.
    let workQueue = DispatchQueue(label: "dragoman.work", attributes: .concurrent)
    let submission = Submission(store: store, metrics: metrics, log: log, workQueue: workQueue)
    notifications = NotificationsResource(store: store, submission: submission)
    batch = BatchResource(submission: submission)
    feedback = FeedbackResource(store: store)
    stats = StatsResource(store: store)
    templates = TemplatesResource()
    preview = PreviewResource(workQueue: workQueue)
    health = HealthResource(state: state, store: store, engine: engine)
    self.metrics = MetricsResource(registry: metrics.registry)
    openAPI = OpenAPIResource(logins: logins, workQueue: workQueue)
  }

  /// Answers the call, now or later.
  func answer(_ call: APICall, _ action: APIRoute.Action) {
    do throws(APIError) {
      switch action {
      case .acceptNotification: try notifications.accept(call)
      case .listNotifications: try notifications.list(call)
      case .showNotification: notifications.show(call)
      case .cancelNotification: notifications.cancel(call)
      case .retryNotification: notifications.retry(call)
      case .acceptBatch: try batch.accept(call)
      case .listFeedback: try feedback.list(call)
      case .showStats: try stats.show(call)
      case .listTemplates: try templates.list(call)
      case .showTemplate: try templates.show(call)
      case .previewTemplate: try preview.show(call)
      case .health: health.showLiveness(call)
      case .readiness: health.showReadiness(call)
      case .metrics: metrics.show(call)
      case .openAPI: openAPI.show(call)
      case .console: try console.show(call)
      case .problem: try problems.show(call)
      }
    } catch {
      call.respond(error)
    }
  }
}
