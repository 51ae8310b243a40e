import Documents
import FoundationEssentials
import Glibc
import Synchronization

/// A program that reads, writes, presents and moves as the lines of standard input say, and reports each event:
///
///     read ID PATH [KEY=VALUE]…     reads until `release ID`; with do=check at once
///     write ID PATH [KEY=VALUE]…    writes until `release ID`; with do=bump at once; with do=move to=PATH a move
///     present ID PATH [KEY=VALUE]…  presents; refuse, hang, subitems, text=… is saved when it is asked to
///     forget ID, release ID, cancel ID, dirty ID, ping ID
///
/// KEY is one of options, deadline (milliseconds), purpose, presenter, nested. Each line of output begins with the
/// ID.
@main
struct Coordinator {
  static func main() {
    let session = Session()
    var lines = InputLines()
    while let line = lines.next() { session.run(Command(line)) }
    exit(0)
  }
}

/// The lines of standard input. A signal does not end them.
private struct InputLines {
  private var bytes: [UInt8] = []

  mutating func next() -> String? {
    while true {
      if let end = bytes.firstIndex(of: 10) {
        defer { bytes.removeSubrange(...end) }
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count > 0 { bytes += buffer[..<count] }
      if count == 0 || count < 0 && errno != EINTR { return nil }
    }
  }
}

struct Command: Sendable {
  var verb: String
  var id: String
  var path: String
  var values: [String: String] = [:]

  init(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    verb = words.first ?? ""
    id = words.count > 1 ? words[1] : ""
    path = words.count > 2 ? words[2] : ""
    for word in words.dropFirst(3) {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      values[parts[0]] = parts.count > 1 ? parts[1] : ""
    }
  }

  var url: URL { URL(filePath: path) }
  var options: UInt { values["options"].flatMap { UInt($0) } ?? 0 }

  var deadline: Duration {
    values["deadline"].flatMap { Int($0) }.map { .milliseconds($0) } ?? .seconds(60)
  }
}

func say(_ id: String, _ text: String) {
  let line = "\(id) \(text.split(separator: "\n").joined(separator: " "))\n"
  // One write(2) keeps each line whole.
  _ = line.utf8CString.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, line.utf8.count) }
}

final class Session: Sendable {
  struct State {
    var coordinators: [String: FileCoordinator] = [:]
    var gates: [String: AsyncStream<Void>.Continuation] = [:]
    var presenters: [String: Presenter] = [:]
  }

  let state = Mutex(State())

  func run(_ command: Command) {
    switch command.verb {
    case "read", "write": start(command)
    case "present":
      let presenter = Presenter(command)
      state.withLock { $0.presenters[command.id] = presenter }
      Task {
        do {
          try await FileCoordinator.addFilePresenter(presenter)
          say(command.id, "presents")
        } catch {
          say(command.id, "failed \(error)")
        }
      }
    case "forget":
      let presenter = state.withLock { $0.presenters.removeValue(forKey: command.id) }
      Task {
        if let presenter { await FileCoordinator.removeFilePresenter(presenter) }
        say(command.id, "forgotten")
      }
    case "dirty":
      state.withLock { $0.presenters[command.id] }?.unsaved.withLock { $0 += 1 }
      say(command.id, "dirty")
    case "release": state.withLock { $0.gates.removeValue(forKey: command.id) }?.finish()
    case "cancel": state.withLock { $0.coordinators[command.id] }?.cancel()
    case "ping": say(command.id, "pong")
    default: say(command.id, "unknown")
    }
  }

  private func start(_ command: Command) {
    let (gate, continuation) = AsyncStream.makeStream(of: Void.self)
    let coordinator = FileCoordinator(
      filePresenter: command.values["presenter"].flatMap { name in
        state.withLock { $0.presenters[name] }
      },
      purposeIdentifier: command.values["purpose"])
    state.withLock { state in
      state.coordinators[command.id] = coordinator
      state.gates[command.id] = continuation
    }
    Task {
      do {
        try await access(command, coordinator) { url in
          say(command.id, "began \(url.path)")
          if let nested = command.values["nested"] { try await self.nest(nested, command, coordinator, url) }
          for await _ in gate {}
          say(command.id, "ends")
        }
        say(command.id, "ended")
      } catch let error as FileCoordinationError {
        say(command.id, "failed \(error.code.rawValue) \(error)")
      } catch {
        say(command.id, "failed other \(error)")
      }
      state.withLock { state in
        (state.coordinators[command.id], state.gates[command.id]) = (nil, nil)
      }
    }
  }

  private func access(
    _ command: Command, _ coordinator: FileCoordinator, holding body: @Sendable (URL) async throws -> Void
  ) async throws {
    let (url, options, deadline) = (command.url, command.options, command.deadline)
    switch command.values["do"] {
    case "check":
      try await coordinator.coordinate(
        readingItemAt: url, options: .init(rawValue: options), deadline: deadline
      ) { say(command.id, "found \(await Counter(at: $0).check())") }
    case "bump":
      try await coordinator.coordinate(
        writingItemAt: url, options: .init(rawValue: options), deadline: deadline
      ) { say(command.id, "bumped \(await Counter(at: $0).bump(by: 1))") }
    case "move":
      let target = URL(filePath: command.values["to"] ?? "")
      try await coordinator.coordinate(
        writingItemAt: url, options: .forMoving, writingItemAt: target, options: .forReplacing,
        deadline: deadline
      ) { url, target in
        coordinator.item(at: url, willMoveTo: target)
        guard renameat2Keeping(url.path, target.path) else { return say(command.id, "stays") }
        try await coordinator.item(at: url, didMoveTo: target)
        if command.values["hold"] != nil { try await body(target) }
        say(command.id, "moved")
      }
    default:
      if command.verb == "read" {
        try await coordinator.coordinate(
          readingItemAt: url, options: .init(rawValue: options), deadline: deadline, byAccessor: body)
      } else {
        try await coordinator.coordinate(
          writingItemAt: url, options: .init(rawValue: options), deadline: deadline, byAccessor: body)
      }
    }
  }

  /// Makes an access within another one, by the same coordinator or by a new one.
  private func nest(
    _ how: String, _ command: Command, _ coordinator: FileCoordinator, _ url: URL
  ) async throws {
    let inner = how.hasPrefix("own") ? coordinator : FileCoordinator()
    if how.hasSuffix("write") {
      try await inner.coordinate(writingItemAt: url, deadline: command.deadline) { _ in
        say(command.id, "nested")
      }
    } else {
      try await inner.coordinate(readingItemAt: url, deadline: command.deadline) { _ in
        say(command.id, "nested")
      }
    }
  }
}

/// Renames a file as rename(2) does, but never replaces one.
private func renameat2Keeping(_ old: String, _ new: String) -> Bool {
  access(new, F_OK) != 0 && rename(old, new) == 0
}
