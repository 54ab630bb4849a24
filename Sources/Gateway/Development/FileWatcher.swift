internal import CLinux
internal import Dispatch
internal import Glibc

/// Reports changes of files and of folders with all that is in them (inotify(7)).
///
/// Folders are watched, not files, because editors replace a file by renaming another one. Of a path that
/// does not exist, the nearest folder above it is watched until it appears.
///
/// Guard: everything but `onChange` is accessed only on `queue`.
final class FileWatcher: @unchecked Sendable {
  private let queue = DispatchQueue(label: "dragoman.dev.watch")
  private let descriptor: Int32
  private let onChange: @Sendable () -> Void
  private var source: (any DispatchSourceRead)?
  private var paths: [String] = []
  /// By inotify's watch descriptor.
  private var watches: [Int32: WatchedFolder] = [:]
  /// The number of the latest change, to tell whether another one followed.
  private var lastChange = 0
  private var firstChange: ContinuousClock.Instant?

  /// A change is reported when nothing has changed for so long: saving all files of an editor is one change.
  static let quiet = DispatchTimeInterval.milliseconds(150)
  /// Changes that never pause are reported at least so often.
  static let longest = Duration.seconds(1)

  /// Nil if the system has no watches left. `onChange` is called on a queue of the watcher's own.
  init?(onChange: @escaping @Sendable () -> Void) {
    descriptor = inotify_init1(O_CLOEXEC | O_NONBLOCK)
    self.onChange = onChange
    guard descriptor >= 0 else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [weak self] in self?.readEvents() }
    source.setCancelHandler { [descriptor] in close(descriptor) }
    self.source = source
    source.activate()
  }

  /// Watches these files and folders instead of those before; returns why not everything is watched.
  @discardableResult func watch(_ paths: [String]) -> WatchGap? {
    queue.sync {
      self.paths = paths
      return scan()
    }
  }

  /// No change is reported after this.
  func stop() {
    queue.sync {
      source?.cancel()
      source = nil
    }
  }

  /// Watches what the paths are now.
  private func scan() -> WatchGap? {
    let (folders, isCut) = WatchedFolder.all(for: paths)
    var kept: [Int32: WatchedFolder] = [:]
    var failure: Int32?
    for folder in folders {
      let watch = inotify_add_watch(descriptor, folder.path, Self.events)
      guard watch >= 0 else {
        if errno != ENOENT && errno != ENOTDIR { failure = errno }
        continue
      }
      // Two paths can lead to one folder.
      kept[watch] = kept[watch].map { $0.merged(with: folder) } ?? folder
    }
    for watch in watches.keys where kept[watch] == nil { inotify_rm_watch(descriptor, watch) }
    watches = kept
    if let failure { return .system(String(cString: strerror(failure))) }
    return isCut ? .tooMany : nil
  }

  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
      | IN_MOVE_SELF | IN_ATTRIB)

  private func readEvents() {
    var isRelevant = false
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      for event in InotifyEvent.all(in: buffer[..<count]) {
        // The kernel dropped events, so anything can have changed.
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { isRelevant = true }
        guard let folder = watches[event.watch] else { continue }
        if event.mask & UInt32(IN_IGNORED) != 0 { watches[event.watch] = nil }
        if folder.concerns(event) { isRelevant = true }
      }
    }
    if isRelevant { noteChange() }
  }

  private func noteChange() {
    lastChange += 1
    let now = ContinuousClock.now
    let first = firstChange ?? now
    firstChange = first
    if now - first >= Self.longest { return report() }
    queue.asyncAfter(deadline: .now() + Self.quiet) { [weak self, lastChange] in
      guard let self, self.lastChange == lastChange, self.source != nil else { return }
      self.report()
    }
  }

  private func report() {
    firstChange = nil
    lastChange += 1
    // Folders that have appeared are watched before they are read, so that no change is lost between.
    _ = scan()
    onChange()
  }
}

/// Why some changes go unnoticed.
enum WatchGap: Equatable, CustomStringConvertible {
  case tooMany
  case system(String)

  var description: String {
    switch self {
    case .tooMany:
      "only the first \(WatchedFolder.countMax) folders are watched; after a change elsewhere, send SIGHUP"
    case .system(let reason):
      "not every folder can be watched (\(reason)); after a change, send SIGHUP"
    }
  }
}

/// One event, as the kernel writes it: watch, mask, cookie and the length of the name, then the name.
struct InotifyEvent: Equatable {
  let watch: Int32
  let mask: UInt32
  /// Empty for an event about the folder itself.
  let name: String

  var isFolder: Bool { mask & UInt32(IN_ISDIR) != 0 }

  static func all(in bytes: ArraySlice<UInt8>) -> [InotifyEvent] {
    func word(_ index: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[index + $1]) << UInt32(8 * $1) }
    }
    var events: [InotifyEvent] = []
    var index = bytes.startIndex
    while index + 16 <= bytes.endIndex {
      let (start, length) = (index + 16, Int(word(index + 12)))
      guard length <= bytes.endIndex - start else { break }
      let name = bytes[start..<start + length].prefix { $0 != 0 }
      events.append(
        InotifyEvent(
          watch: Int32(bitPattern: word(index)), mask: word(index + 4),
          name: String(decoding: name, as: UTF8.self)))
      index = start + length
    }
    return events
  }
}
