extension DeliveryCore.Event {
  enum Scope {
    case none, all
    case app(Int)
    /// The apps whose settlements the store has answered.
    case settled
  }

  /// Whose situation it changes.
  var scope: Scope {
    switch self {
    case .due(let app), .claimBegan(let app, _), .claimed(let app, _), .nextDue(let app, _),
      .answered(let app, _, _), .validate(let app, _, _), .validated(let app, _, _),
      .credentialsChecked(let app, _), .claimEnded(let app, _), .limits(let app, _), .held(let app, _, _),
      .probeTurn(let app, _, _), .inFlightMax(let app, _):
      .app(app)
    case .settled(.success): .settled
    case .settled(.failure), .gateways, .update, .stop: .all
    case .timer: .none
    }
  }
}
