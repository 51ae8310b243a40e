import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
package import SystemPackage

/// A benchmark of saves of successive states of a real package, each over the last.
package struct ReplayBenchmark {
  /// The measured time after which a trial with three runs is done.
  package var budget = Duration.seconds(60)

  package init() {}

  /// The names of the ways, in the order of the results.
  package static let strategies = ["journal", "published", "staged", "full", "rsync", "git", "cp"]

  /// Measures each step from one of the states to the next.
  ///
  /// - Parameter states: at least two folders.
  /// - Throws: `BenchmarkError` as `SaveBenchmark.run(_:in:progress:)`, and for states that cannot be read.
  package func run(
    _ states: [FilePath], strategies: [String] = Self.strategies, in folder: FilePath,
    progress: (String) -> Void = { _ in }
  ) async throws(BenchmarkError) -> [Measurement] {
    let read: [ReplayState]
    do {
      progress("reading \(states.count) states")
      read = try states.map(ReplayState.init)
    } catch {
      throw BenchmarkError(description: "The states cannot be read. \(sentence(of: error))")
    }
    let work = Work("replay", children: read[0].nodes.count, subject: "\(states.count - 1) saves")
    var schedule = RoundRobin()
    schedule.rounds = states.count - 1
    schedule.budget = budget
    schedule.warmsUp = false
    return try await BenchmarkFolder.with(in: folder, progress) { (made) throws(SystemError) in
      var trials: [Trial] = []
      for name in strategies {
        progress("making the first state for \(name)")
        let place = SavePlace(folder: try made.folder(name), disk: PosixDisk())
        let isOurs = ["journal", "published", "staged"].contains(name)
        let blank = Measurement(
          work, strategy: name, durable: isOurs || name == "full", atomic: isOurs || name == "full")
        trials.append(
          await Trial(blank) {
            let replay = Replay(read, at: place)
            try replay.makeFirst()
            switch name {
            case "journal": return try await StoredReplay(replay, .returnsAtCommit)
            case "published": return try await StoredReplay(replay, [])
            case "staged": return try await StoredReplay(replay, .staged)
            case "full": return FullReplay(replay)
            default: return try CommandReplay(replay, name)
            }
          })
      }
      sync()
      return await schedule.run(trials, in: made, progress)
    }
  }
}

/// The states, and the folder that takes each of them in order.
final class Replay {
  let place: SavePlace
  private let states: [ReplayState]
  private(set) var number = 0

  init(_ states: [ReplayState], at place: SavePlace) {
    self.states = states
    self.place = place
  }

  var package: FilePath { place.folder.appending(PackageFolder.name.string) }
  /// The folder of the present state.
  var source: FilePath { states[number].path }

  func makeFirst() throws {
    try ChildProcess().run("cp", ["-a", source.string, package.string])
    // Kept states are often read-only.
    try ChildProcess().run("chmod", ["-R", "u+w", package.string])
  }

  /// Goes on to the next state, and returns the edits that lead there.
  func next() throws -> [ReplayEdit] {
    number += 1
    return try states[number].edits(since: states[number - 1])
  }

  func verify(_ path: FilePath) throws {
    try states[number].verify(ReplayState(path))
  }
}

/// This library's saves.
private final class StoredReplay: Workload {
  private let replay: Replay
  private let store: PackageStore
  private let tree: FileWrapper
  private let options: PackageStore.SavingOptions
  private var edits: [ReplayEdit] = []

  init(_ replay: Replay, _ options: PackageStore.SavingOptions) async throws {
    self.replay = replay
    self.options = options
    store = try await PackageStore.open(replay.package, on: replay.place.disk, delays: .standard)
    tree = await store.tree
  }

  var disk: CountingDisk? { replay.place.disk }

  func arrange() throws { edits = try replay.next() }

  func run() async throws {
    for edit in edits { try edit.apply(to: tree) }
    try await store.save(options: options)
  }

  func finish() async throws { try await store.publish() }

  func verify() async throws {
    try await store.close()
    try replay.verify(replay.package)
  }
}

/// A complete new folder with syncs, and an exchange.
private final class FullReplay: Workload {
  private let replay: Replay

  init(_ replay: Replay) {
    self.replay = replay
  }

  var disk: CountingDisk? { replay.place.disk }

  func arrange() throws { _ = try replay.next() }  // Every child is written.

  func run() throws {
    let disk = replay.place.disk
    let parent = try disk.openDirectory(at: replay.place.folder)
    let (name, next): (FileName, FileName) = (PackageFolder.name, "Package.new")
    try copy(FileWrapper(url: URL(filePath: replay.source.string)), as: next, in: parent, on: disk)
    try disk.rename(next, in: parent, to: name, in: parent, .exchange)
    try disk.synchronize(parent)
    guard TemporarySiblings(of: name, on: disk).remove(next, from: parent) else {
      throw WrongContents(description: "the folder that was replaced could not be removed")
    }
  }

  private func copy(
    _ node: FileWrapper, as name: FileName, in parent: borrowing OwnedDescriptor, on disk: CountingDisk
  ) throws {
    if node.isDirectory {
      try disk.makeDirectory(name, in: parent, mode: 0o777)
      let folder = try disk.openDirectory(name, in: parent)
      for (name, child) in try node.children() {
        try copy(child, as: FileName(name), in: folder, on: disk)
      }
      try disk.synchronize(folder)
    } else if node.isSymbolicLink, let destination = node.symbolicLinkDestinationURL {
      try disk.makeSymbolicLink(to: Array(destination.relativePath.utf8), named: name, in: parent)
    } else {
      try disk.synchronize(disk.makeFile(name, node.contents(), in: parent))
    }
  }

  func verify() throws { try replay.verify(replay.package) }
}

/// Other programs, from their start to their end, without any sync.
private final class CommandReplay: Workload {
  private let replay: Replay
  private let program: String

  init(_ replay: Replay, _ program: String) throws {
    self.replay = replay
    self.program = program
    if program == "git" {
      try git("init", "-q")
      try git("add", "-A")
      try git("commit", "-q", "-m", "x")
    }
  }

  private func git(_ arguments: String...) throws {
    var process = ChildProcess.git
    process.directory = replay.package.string
    try process.run("git", arguments)
  }

  func arrange() throws {
    _ = try replay.next()  // The program finds the changes itself.
    if program == "cp" { try ChildProcess().run("rm", ["-rf", replay.package.string]) }
    guard program == "git" else { return }
    // The work tree has the state already, as after a save by an application.
    do {
      try ChildProcess().run(
        "rsync", ["-a", "--delete", "--exclude", ".git", replay.source.string + "/", replay.package.string])
    } catch let error as StrategyUnavailable {
      throw StrategyUnavailable(description: "rsync brings its work tree to each state, and \(error)")
    }
  }

  func run() throws {
    switch program {
    case "git":
      try git("add", "-A")
      try git("commit", "-q", "--allow-empty", "-m", "x")
    case "rsync":
      try ChildProcess().run("rsync", ["-a", "--delete", replay.source.string + "/", replay.package.string])
    default: try ChildProcess().run("cp", ["-a", replay.source.string, replay.package.string])
    }
  }

  func verify() throws { try replay.verify(replay.package) }
}
