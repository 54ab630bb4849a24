internal import FCMMessage
internal import JSON

extension PlanCompiler {
  /// Compiles the members of a message to a Live Activity (Firebase, "Send to Live Activities"). Only those
  /// that start one have the attributes.
  mutating func activity(
    _ overlay: [ValueTree.Member], _ activity: CatalogReader.Activity, fallback: Fallback?, isStart: Bool
  ) {
    object("apns") { compiler in
      var rest = overlay
      var headers = rest.take("headers")?.members ?? []
      var payload = rest.take("payload")?.members ?? []
      compiler.setting(.activityToken, nil)
      compiler.object("headers") { compiler in
        compiler.setting(.activityPriority, headers.take("apns-priority"))
        compiler.setting(.apnsExpiration, headers.take("apns-expiration"))
        compiler.members(headers)
      }
      compiler.object("payload") { compiler in
        var aps = payload.take("aps")?.members ?? []
        let pushKeys = ["input-push-token", "input-push-channel"].compactMap { key in
          aps.take(key).map { (key: key, value: $0) }
        }
        compiler.object("aps") { compiler in
          compiler.setting(.activityState, aps.take("relevance-score"))
          compiler.whole("content-state", activity.contentState)
          if isStart {
            compiler.members([("attributes-type", .constant(.string(activity.template.attributesType)))])
            compiler.whole("attributes", activity.attributes)
            compiler.members(pushKeys)
          }
          compiler.activityAlert(aps.take("alert")?.members ?? [], fallback)
          compiler.members(aps)
        }
        compiler.members(payload)
      }
      compiler.members(rest)
    }
  }

  /// A text is an object with its key, or the fallback where a slot has none.
  private mutating func activityAlert(_ alert: [ValueTree.Member], _ fallback: Fallback?) {
    object("alert") { compiler in
      for name in [TextSlot.Name.title, .body] where !alert.contains(where: { $0.key == name.rawValue }) {
        compiler.literals(of: .ios, [name], otherwise: compiler.hasText(name) ? nil : fallback)
      }
      compiler.texts(on: .ios)
      compiler.members(alert)
    }
  }

  /// Adds an object that stays even if it is empty.
  private mutating func whole(_ name: String, _ value: ValueTree) {
    guard case .object(let members) = value else { return self.members([(name, value)]) }
    wholeObject(name) { $0.members(members) }
  }
}
