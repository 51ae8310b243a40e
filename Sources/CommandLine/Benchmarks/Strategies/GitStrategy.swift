import DurableIO
import FoundationEssentials
import SystemPackage

/// `git add FILE… && git commit`, as the two processes that a user starts. The changed files are in the work tree
/// already. Git does not sync its files by default.
final class GitStrategy: DirectSaveStrategy {
  static let name = "git"
  static let isDurable = false

  private let folder: PackageFolder
  private let path: String
  private let log: String
  private let process = ChildProcess.git

  init(_ model: ModelPackage, at place: SavePlace) throws {
    try place.requireOwnDisk("git")
    folder = PackageFolder(place: place)
    path = place.folder.appending(PackageFolder.name.string).string
    log = place.folder.appending("git.log").string
    try folder.make(model)
    try git("init", "-q")
    try git("-c", "gc.auto=0", "add", "-A")
    try git("-c", "gc.auto=0", "commit", "-q", "-m", "x")
    // A repository in use has its objects in one pack.
    try git("gc", "-q")
  }

  private func git(_ arguments: String...) throws {
    try process.run("git", ["-C", path] + arguments, output: log)
  }

  func arrange(_ change: SaveChange) throws {
    let package = try folder.open()
    for (name, contents) in change.files {
      try folder.disk.replaceFile(name, contents, in: package)
    }
  }

  func save(_ change: SaveChange) throws {
    try process.run("git", ["-C", path, "add"] + change.files.map(\.name.string))
    try git("commit", "-q", "-m", "x")
  }

  func verify(_ model: ModelPackage) throws {
    try folder.verify(model)
    // The first check compares the work tree with the model, the second the commit with the work tree.
    try git("status", "--porcelain")
    let output = try folder.disk.contents(
      of: "git.log", in: folder.disk.openDirectory(at: folder.place.folder))
    guard output.isEmpty else {
      throw WrongContents(description: "the last commit differs from the last save")
    }
  }
}

extension ChildProcess {
  /// The environment for git: without the user's and the system's configuration, and with a neutral name.
  static var git: ChildProcess {
    ChildProcess(environment: [
      "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
      "GIT_AUTHOR_NAME": "Benchmark", "GIT_AUTHOR_EMAIL": "benchmark@localhost",
      "GIT_COMMITTER_NAME": "Benchmark", "GIT_COMMITTER_EMAIL": "benchmark@localhost",
    ])
  }
}
