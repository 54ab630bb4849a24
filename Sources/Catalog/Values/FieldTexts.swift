internal import FCMMessage
internal import JSON
internal import YAML

extension CatalogReader {
  /// The loc keys that a template names in FCM's fields rather than in slots, such as `subtitle-loc-key` of
  /// an alert, as slots: phones look them up in the same way. Keys that a request gives are not known.
  func fieldTexts(_ fields: MessageFields, _ overlay: Overlay, params: [Param], line: Int) -> [TextSlot] {
    let android = fields.tree["android"]?["notification"]
    let alert = fields.tree["apns"]?["payload"]?["aps"]?["alert"]
    func text(_ key: ValueTree?, _ args: ValueTree?, _ node: YAMLNode?) -> LocText? {
      guard case .constant(.string(let name))? = key, !name.isEmpty else { return nil }
      return LocText(key: name, args: args?.argNames(params) ?? [], line: node?.line ?? line)
    }
    return TextSlot.Name.allCases.compactMap { name in
      let own = "\(name.rawValue)_loc_key"
      let onAndroid = text(
        android?[own], android?["\(name.rawValue)_loc_args"], overlay["android", "notification", own])
      // A text of a Live Activity is an object in its slot's key.
      let place = alert?[name.rawValue]?["loc-key"] == nil ? name.apnsKey : name.rawValue
      let nested = place == name.rawValue ? alert?[place] : nil
      let onIOS = text(
        nested?["loc-key"] ?? alert?[name.apnsKey], nested.map { $0["loc-args"] } ?? alert?[name.apnsArgs],
        overlay["apns", "payload", "aps", "alert", place])
      guard onAndroid != nil || onIOS != nil else { return nil }
      return TextSlot(
        name: name, texts: .init(android: onAndroid, ios: onIOS), plural: nil, variants: [],
        line: (onAndroid ?? onIOS)?.line ?? line)
    }
  }
}

extension ValueTree {
  /// The args in a list: the names of params, and constant texts as they are.
  fileprivate func argNames(_ params: [Param]) -> [String] {
    switch self {
    case .constant(.array(let texts)): texts.map { $0.string ?? "" }
    case .list(let elements):
      elements.map { element in
        switch element {
        case .param(let use): params.indices.contains(use.param) ? params[use.param].name : ""
        case .constant(let json): json.string ?? ""
        case .object, .list: ""
        }
      }
    case .constant, .param, .object: []
    }
  }
}
