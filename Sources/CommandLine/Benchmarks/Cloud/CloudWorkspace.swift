import FoundationEssentials
import SystemPackage

/// A local folder with documents, and its place in the store, for one program.
final class CloudWorkspace {
  let program: CloudProgram
  let folder: FilePath
  private let name: String
  private let commands: CloudCommands
  private let proxy: CountingProxy?
  private var begin = WireTraffic()
  /// The number of changes so far.
  private var changes = 0

  /// Makes the folder and its place in the store.
  ///
  /// - Parameters:
  ///   - parent: the folder for this one.
  ///   - name: a name that no other workspace has.
  init(
    _ program: CloudProgram, _ commands: CloudCommands, _ proxy: CountingProxy?, in parent: FilePath,
    named name: String
  ) throws {
    (self.program, self.commands, self.proxy, self.name) = (program, commands, proxy, name)
    folder = parent.appending(name)
    if case .folder(let store) = commands.store {
      try FileManager.default.createDirectory(
        atPath: store.appending(name).string, withIntermediateDirectories: true)
    }
    // docpkg makes the folder itself.
    try commands.prepare(program, folder, as: name)
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
  }

  private var report: FilePath { commands.scratch.appending("\(name).json") }

  /// Begins to count requests and bytes.
  func startCounting() { begin = proxy?.traffic ?? WireTraffic() }

  /// Brings the folder to the store, as one process.
  func sync() throws { try commands.sync(program, folder, as: name, output: report) }

  /// The requests and bytes since `startCounting()`. For a folder as the store they are those of the last `sync()`.
  func traffic() throws -> WireTraffic {
    if let proxy { return proxy.traffic - begin }
    struct Report: Decodable {
      var requests: Int
      var bytesSent: Int
      var bytesReceived: Int
    }
    let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: report.string)))
    return WireTraffic(
      requests: report.requests, bytesSent: report.bytesSent, bytesReceived: report.bytesReceived)
  }

  /// Changes the documents once more.
  func change(_ content: CloudContent) throws -> Int? {
    changes += 1
    return try content.change(changes, in: folder)
  }

  /// Compares the container, as a new machine gets it, with the folder. Other programs are believed.
  ///
  /// - Throws: `WrongContents`
  func verify() throws {
    guard program.isOwn else { return }
    let copy = FilePath(folder.string + "-copy")
    try commands.add(copy, to: name)
    try commands.cloud(["sync", copy.string, "--quiet"])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.string).filter {
      !$0.hasPrefix(".")
    }
    try commands.cloud(["download", "--quiet"] + names.map { copy.appending($0).string })
    let files = try Self.files(of: folder)
    guard try Self.files(of: copy) == files else {
      throw WrongContents(description: "another machine has other files")
    }
    for file in files {
      let both = try [folder, copy].map { try Data(contentsOf: URL(filePath: $0.appending(file).string)) }
      if both[0] != both[1] { throw WrongContents(description: "'\(file)' differs on another machine") }
    }
    try FileManager.default.removeItem(atPath: copy.string)
  }

  /// Returns the paths of all files but hidden ones and the metadata, which a machine has for itself.
  private static func files(of folder: FilePath) throws -> Set<String> {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.string)
    return Set(
      paths.filter { path in
        var isFolder = false
        return !path.split(separator: "/").contains { $0.hasPrefix(".") || $0 == "Metadata.plist" }
          && FileManager.default.fileExists(atPath: folder.appending(path).string, isDirectory: &isFolder)
          && !isFolder
      })
  }
}
