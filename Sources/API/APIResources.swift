internal import DeliveryReports
internal import HTTPServer
internal import Outbox
internal import Telemetry

/// The resources of the API, one value each, and the routes that they answer.
final class APIResources: Sendable {
  let state: APIState
  private let notifications: NotificationsResource
  private let deliverySets: DeliverySetsResource
  private let events: EventsResource
  private let batch: BatchResource
  private let rawMessages: RawMessagesResource
  private let messageFindings: MessageFindingsResource
  private let feedback: FeedbackResource
  private let stats: StatsResource
  let history: QueueHistory
  private let past: HistoryResource
  private let templates: TemplatesResource
  private let matrix: MatrixResource
  private let icon = IconResource()
  private let preview: PreviewResource
  private let messagePreview: MessagePreviewResource
  private let health: HealthResource
  private let metrics: MetricsResource
  private let openAPI: OpenAPIResource
  private let console: ConsoleResource
  private let problems = ProblemsResource()
  private let pool: WorkPool

  /// The largest body that is parsed on an event loop, where the other connections wait meanwhile: a batch of
  /// that size takes about a millisecond.
  static let loopBodyBytesMax = 8_192

  init(
    state: APIState, store: any OutboxStore, engine: any DeliveryService, events: EventHub,
    metrics: DragomanMetrics, logins: LoginGuard, pool: WorkPool, log: Log
  ) {
    (self.state, self.pool) = (state, pool)
    events.use(
      EventHub.Sources(
        store: store, health: { engine.health }, apps: { state.snapshot.apps.map(\.name) }))
    let submission = Submission(store: store, events: events, metrics: metrics, log: log, pool: pool)
    notifications = NotificationsResource(
      store: store, submission: submission, engine: engine, events: events)
    deliverySets = DeliverySetsResource(
      submission: submission, isStopping: { state.isShuttingDown }, log: log)
    self.events = EventsResource(state: state, hub: events, notifications: notifications)
    batch = BatchResource(submission: submission)
    events.awaited.stop(when: { state.isShuttingDown })
    let findings = RawFindings(metrics: metrics, log: log)
    rawMessages = RawMessagesResource(
      submission: submission, engine: engine, awaited: events.awaited, findings: findings, pool: pool)
    messageFindings = MessageFindingsResource(findings: findings)
    feedback = FeedbackResource(store: store)
    stats = StatsResource(store: store)
    history = QueueHistory(store: store, metrics: metrics)
    past = HistoryResource(history: history, pool: pool)
    templates = TemplatesResource(pool: pool)
    matrix = MatrixResource(pool: pool)
    preview = PreviewResource(pool: pool)
    messagePreview = MessagePreviewResource(pool: pool)
    health = HealthResource(state: state, store: store, engine: engine, logins: logins)
    self.metrics = MetricsResource(registry: metrics.registry)
    openAPI = OpenAPIResource(logins: logins, pool: pool)
    console = ConsoleResource(pool: pool)
  }

  /// Answers the call, now or later: here, or on the pool if its body is large.
  func answer(_ call: APICall, _ action: APIRoute.Action) {
    guard call.hasLargeBody else {
      do throws(APIError) { try perform(call, action) } catch { call.respond(error) }
      return
    }
    pool.perform(call) { () throws(APIError) in try self.perform(call, action) }
  }

  private func perform(_ call: APICall, _ action: APIRoute.Action) throws(APIError) {
    if call.admitted.route.refusesParameters { try QueryReader(call.head).finish() }
    switch action {
    case .acceptNotification: try notifications.accept(call)
    case .listNotifications: try notifications.list(call)
    case .showNotification: try notifications.show(call)
    case .followNotification: try events.show(call)
    case .followAll: try events.showAll(call)
    case .cancelNotification: notifications.cancel(call)
    case .retryNotification: notifications.retry(call)
    case .retryDeliveries: try deliverySets.change(call, .retry)
    case .cancelDeliveries: try deliverySets.change(call, .cancel)
    case .acceptBatch: try batch.accept(call)
    case .acceptMessage: try rawMessages.accept(call)
    case .listMessageFindings: try messageFindings.list(call)
    case .listFeedback: try feedback.list(call)
    case .showStats: stats.show(call)
    case .showHistory: try past.show(call)
    case .listTemplates: try templates.list(call)
    case .showTemplate: try templates.show(call)
    case .showMatrix: try matrix.show(call)
    case .showIcon: try icon.show(call)
    case .previewTemplate: try preview.show(call)
    case .previewMessage: try messagePreview.show(call)
    case .health: health.showLiveness(call)
    case .readiness: health.showReadiness(call)
    case .metrics: metrics.show(call)
    case .openAPI: openAPI.show(call)
    case .console: try console.show(call)
    case .problem: try problems.show(call)
    }
  }
}
