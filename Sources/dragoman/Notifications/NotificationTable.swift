import CatalogCheck
import JSON

/// Notifications as text, for people.
enum NotificationTable {
  /// One line each: id, when, status, template, client, targets, error.
  static func list(_ notifications: [JSON]) -> String {
    let rows = notifications.map { notification -> [String] in
      let deliveries = notification["deliveries"]?.array ?? []
      let codes = Set(deliveries.compactMap { $0["error"]?["code"]?.string }).sorted()
      return [
        text(notification["id"]), text(notification["created_at"]), text(notification["status"]),
        text(notification["app"]), text(notification["template"]), text(notification["client"]),
        deliveries.count == 1 ? target(of: deliveries[0]) : "\(deliveries.count) targets",
        codes.joined(separator: " "),
      ]
    }
    return table(["ID", "CREATED", "STATUS", "APP", "TEMPLATE", "CLIENT", "TARGET", "ERROR"], rows)
  }

  /// One notification with its deliveries.
  static func detail(of notification: JSON) -> String {
    let fields = ["id", "app", "template", "client", "status", "created_at"]
      .compactMap { name in notification[name]?.string.map { "\(name): \($0.printable)" } }
    let rows = (notification["deliveries"]?.array ?? []).map { delivery -> [String] in
      [
        target(of: delivery), text(delivery["status"]), String(delivery["attempts"]?.int64 ?? 0),
        text(delivery["next_attempt_at"]), text(delivery["error"]?["code"]),
        text(delivery["error"]?["message"]),
      ]
    }
    return fields.joined(separator: "\n") + "\n\n"
      + table(["TARGET", "STATUS", "ATTEMPTS", "NEXT ATTEMPT", "ERROR", "MESSAGE"], rows)
  }

  /// Columns without anything in them are left out.
  private static func table(_ names: [String], _ rows: [[String]]) -> String {
    let used = names.indices.filter { index in rows.isEmpty || rows.contains { !$0[index].isEmpty } }
    let lines = ([names] + rows).map { row in used.map { row[$0] } }
    let widths = used.indices.map { index in lines.map(\.[index].count).max() ?? 0 }
    return lines.map { line in
      zip(line, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
        .joined(separator: "  ").trimmingTrailingSpaces
    }.joined(separator: "\n")
  }

  private static func target(of delivery: JSON) -> String {
    guard let target = delivery["target"]?.object?.members.first else { return "" }
    let value = (target.value.string ?? "").printable
    return value.count > 24 ? "\(value.prefix(10))…\(value.suffix(8))" : value
  }

  private static func text(_ value: JSON?) -> String { (value?.string ?? "").printable }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}
