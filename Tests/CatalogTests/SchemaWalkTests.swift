import FCMMessage
import JSON
import Testing

@testable import Catalog

/// Every field of FCM's `Message` that is not the request's own can stand in a template and in `defaults`.
@Suite struct SchemaWalkTests {
  /// The target is the request's, and FCM sets the name.
  private static let refused: Set<String> = ["token", "fid", "topic", "condition", "name"]

  /// A place of a field, its example, and what FCM requires beside it.
  private struct Place {
    let path: [String]
    let value: JSON
    var companions: [(path: [String], value: JSON)] = []
  }

  private func places(of type: MessageSchema.ObjectType, at path: [String]) -> [Place] {
    MessageSchema.fields(of: type).flatMap { field -> [Place] in
      if path.isEmpty, Self.refused.contains(field.name) { return [] }
      let path = path + [field.name]
      guard case .object(let nested) = field.type, !MessageSchema.fields(of: nested).isEmpty else {
        return [Place(path: path, value: example(of: field), companions: companions(of: path))]
      }
      return places(of: nested, at: path)
    }
  }

  private func example(of field: MessageSchema.Field) -> JSON {
    switch (field.name, field.type) {
    case ("color", .string): "#00ff00"
    case ("image", _), ("link", _): "https://example.com/"
    case (_, .string): "x"
    case (_, .boolean): true
    case (_, .int32): 3
    case (_, .float): 1
    case (_, .duration): "5s"
    case (_, .timestamp): "2026-11-21T12:00:00Z"
    case (_, .enumeration(let type)): .string(type.values.last ?? "")
    case (_, .list(.duration)): ["5s"]
    case (_, .list): ["x"]
    case (_, .stringMap): ["x-k": "x"]
    case (_, .freeObject), (_, .object): [:]
    }
  }

  private func companions(of path: [String]) -> [(path: [String], value: JSON)] {
    if let name = path.last, name.hasSuffix("_loc_args") {
      return [(path.dropLast() + [name.replacing("_loc_args", with: "_loc_key")], "k")]
    }
    if path.last == "live_activity_token" {
      let aps: JSON = ["timestamp": 1_900_000_000, "event": "update", "content-state": ["x": 1]]
      return [(path.dropLast() + ["payload", "aps"], aps)]
    }
    guard let index = path.firstIndex(of: "light_settings") else { return [] }
    let settings = Array(path[...index])
    return [
      (settings + ["color", "red"], 1), (settings + ["light_on_duration"], "5s"),
      (settings + ["light_off_duration"], "5s"),
    ].filter { $0.0 != path }
  }

  private func tree(_ place: Place) -> JSON {
    var root = JSON.object(.init())
    for (path, value) in [(place.path, place.value)] + place.companions {
      set(value, at: path[...], in: &root)
    }
    return root
  }

  private func set(_ value: JSON, at path: ArraySlice<String>, in json: inout JSON) {
    guard let key = path.first else {
      json = value
      return
    }
    var object = json.object ?? .init()
    var child = object[key] ?? .object(.init())
    set(value, at: path.dropFirst(), in: &child)
    object[key] = child
    json = .object(object)
  }

  private func value(at path: [String], in json: JSON) -> JSON? {
    path.reduce(json as JSON?) { $0?[$1] }
  }

  @Test func acceptsEveryFieldOfTheSchema() throws {
    let places = places(of: .message, at: [])
    #expect(places.count > 90)
    for place in places {
      let fields = String(decoding: tree(place).serialized, as: UTF8.self)
      let own = Fixture.problems(template: fields)
      #expect(own == [], "\(place.path)")
      // A template without a text takes no `aps` from `defaults`, and FCM wants one beside such a token.
      if place.path.last != "live_activity_token" {
        let shared = Fixture.problems(template: "{data: {a: b}}", defaults: fields)
        #expect(shared == [], "\(place.path)")
      }
      guard own.isEmpty else { continue }
      let message = try Fixture.message(template: fields)
      let value = value(at: place.path, in: message)
      let isTTL = place.path.last == "ttl"
      // An empty payload has no effect; an empty sync does.
      let expected: JSON? = place.value != [:] || place.path.last == "background_sync" ? place.value : .none
      #expect(value == (isTTL ? "86400s" : expected), "\(place.path): \(message)")
    }
  }

  @Test func checksTheTypeOfEveryField() {
    for place in places(of: .message, at: []) {
      let wrong: JSON = place.value.bool == nil ? true : 1
      let misplaced = Place(path: place.path, value: wrong, companions: place.companions)
      let problems = Fixture.problems(template: String(decoding: tree(misplaced).serialized, as: UTF8.self))
      #expect(problems.count == 1 && problems[0].contains("must be"), "\(place.path): \(problems)")
    }
  }

  @Test func refusesWhatOnlyARequestOrFCMCanSet() {
    for name in Self.refused {
      let problems = Fixture.problems(template: "{\(name): x}")
      #expect(problems.count == 1 && problems[0].contains("unknown field"), "\(problems)")
    }
  }
}
