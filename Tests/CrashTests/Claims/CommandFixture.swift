import DurableIO
import Foundation
import SystemPackage
import TestSupport

/// A folder with a document that has a history, and a command that works on it.
struct CommandFixture: Sendable {
  enum Work: String, CaseIterable, Sendable {
    case edit, set, undo, redo, restore, merge, keep, prune, new, copy
    /// A change of a package that another program made, which is too large for the log.
    case others = "edit of another program's package"
    case exportZip = "export to zip"
    case update = "export to an earlier zip"
    case exportTar = "export to tar.zst"
    case exportNotes = "export to TextPack"
    case importZip = "import of zip"
    case importTar = "import of tar.zst"
    case importNotes = "import of TextPack"

    var isExport: Bool { rawValue.hasPrefix("export") }
    var makesDocument: Bool { rawValue.hasPrefix("import") || self == .new || self == .copy }
    var resolves: Bool { self == .merge || self == .keep }
    fileprivate var document: String { self == .others ? "Trip.rtfd" : "Trip.imageNotes" }
    /// Whether the command reports its syncs, with `--verbose`.
    var reportsSyncs: Bool { !isExport && !rawValue.hasPrefix("import") && self != .prune }
  }

  let work: Work
  private let root: FilePath
  private let oldest: String
  let folder: FilePath
  private var document: String { folder.appending(work.document).string }
  /// The document or archive that the command makes.
  private var result: String { folder.appending("Result").string }

  init(in root: FilePath, _ work: Work) throws {
    (self.root, self.work) = (root, work)
    folder = root.appending("scene")
    let document = folder.appending(work.document).string
    func docpkg(_ arguments: String...) throws {
      try require(Program.docpkg.runInTime(arguments), arguments[0])
    }
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
    for (name, count) in [("small", 4), ("large", 1_500_000)] {
      try Data(repeating: 55, count: count).write(to: URL(filePath: root.appending(name).string))
    }
    try Data("rich\n\(Self.next)".utf8).write(to: URL(filePath: root.appending("next").string))
    if work == .others {
      let package: TestTree = [
        "Text.txt": "rich", "Old.bin": .file(Array(repeating: 1, count: 3 << 20), mode: 0o644),
      ]
      let disk = PosixDisk()
      try package.write(to: FileName(work.document), in: disk.openDirectory(at: folder), of: disk)
      oldest = ""
      try Self.shell("cp -a '\(folder)' '\(root)/saved'")
      return
    }
    let image = projectFolder.appending(path: "Fixtures/Images/ridge.png").path
    try docpkg("new", document, "--text", "one\n--\ntwo\n", "--image", image)
    for format in ["zip", "tar.zst", "textpack"] {
      try docpkg("export", document, root.appending("Trip.\(format)").string)
    }
    try docpkg("edit", document, "--set", "Other/child.txt=\(root.appending("small"))")
    try docpkg("edit", document, "--text", "one\n--\ntwo\n--\nthree\n")
    if work.resolves { try Self.makeConflict(in: document) }
    if work == .redo { try docpkg("undo", document) }
    let listed = try require(Program.docpkg.runInTime(["versions", document]), "listing").output
    oldest = listed.split(separator: "\n").last?.split(separator: " ").first.map(String.init) ?? ""
    if work == .update {
      try Self.shell("cp '\(root)/Trip.zip' '\(folder.appending(archive))'")
    } else if work.isExport {
      try Data("an earlier file".utf8).write(to: URL(filePath: folder.appending(archive).string))
    }
    try Self.shell("cp -a '\(folder)' '\(root)/saved'")
  }

  /// Edits the document here and on another computer, and leaves the files of a synchronising program.
  private static func makeConflict(in document: String) throws {
    let other = document.replacing("/scene/", with: "/")
    try shell("cp -a '\(document)' '\(other)'")
    try require(
      Program.docpkg.runInTime(["edit", document, "--text", "ONE\n--\ntwo\n--\nthree\n"]), "editing")
    try require(Program.docpkg.runInTime(["edit", other, "--text", "one\n--\ntwo\n--\nTHREE\n"]), "editing")
    try leaveConflictCopies(of: other, in: document)
    try shell("rm -r '\(other)'")
  }

  private static func shell(_ script: String) throws {
    try require(Program(path: "/bin/sh").run(["-c", "set -e; " + script]), "preparing")
  }

  /// Restores the initial state.
  ///
  /// The document's directory stays, since its log names it.
  func reset() throws {
    try Self.shell(
      """
      cd '\(root)'; rm -rf state; mkdir -p scene/\(work.document)
      find scene -mindepth 1 ! -path scene/\(work.document) -delete; cp -a saved/. scene/
      """)
  }

  // MARK: Running

  private var archive: String {
    switch work {
    case .exportZip, .update: "Result.zip"
    case .exportTar: "Result.tar.zst"
    default: "Result.textpack"
    }
  }

  private var arguments: [String] {
    switch work {
    case .edit: ["edit", document, "--append", "more"]
    case .set:
      [
        "edit", document, "--set", "Large/child.bin=\(root)/large", "--set", "New.txt=\(root)/small",
        "--remove", "Other",
      ]
    case .others: ["edit", document, "--set", "Large/child.bin=\(root)/large"]
    case .undo: ["undo", document]
    case .redo: ["redo", document]
    case .restore: ["restore", document, "--version", oldest]
    case .merge: ["resolve", document, "--merge"]
    case .keep: ["resolve", document, "--keep", "present"]
    // The last version always stays.
    case .prune: ["versions", "prune", document, "--budget", "1"]
    case .new: ["new", result + ".imageNotes", "--text-file", "\(root)/small"]
    case .copy: ["copy", document, result + ".imageNotes"]
    case .exportZip, .exportTar: ["export", document, folder.appending(archive).string]
    case .update: ["export", document, folder.appending(archive).string, "--update"]
    case .exportNotes: ["export", document, folder.appending(archive).string, "--reproducible"]
    case .importZip: ["import", "\(root)/Trip.zip", result + ".imageNotes"]
    case .importTar: ["import", "\(root)/Trip.tar.zst", result + ".imageNotes"]
    case .importNotes: ["import", "\(root)/Trip.textpack", result + ".imageNotes"]
    }
  }

  /// Runs the command, and breaks one of its calls.
  func run(_ breaking: Breaking = .nothing, at number: Int = 0) throws -> BrokenRun {
    try Program.docpkg.run(
      arguments + (work.reportsSyncs ? ["--verbose"] : []), in: folder, breaking, at: number,
      environment: ["XDG_STATE_HOME": root.appending("state").string])
  }

  /// Edits each document that is there, and makes a document or an archive once more.
  func runNext() throws -> [(name: String, run: Run)] {
    if work.isExport { return [(archive, try Program.docpkg.runInTime(arguments))] }
    var first: [(name: String, run: Run)] = []
    if work.makesDocument, !FileManager.default.fileExists(atPath: result + ".imageNotes") {
      // This removes what a killed command left at the place.
      first = [("Result.imageNotes", try Program.docpkg.runInTime(arguments))]
    } else if work.makesDocument, try !leftovers().isEmpty {
      first = [("recover", try Program.docpkg.runInTime(["recover", result + ".imageNotes"]))]
    }
    return try first
      + documents().map { name in
        let change = work == .others ? ["--set", "Text.txt=\(root)/next"] : ["--append", Self.next]
        return (name, try Program.docpkg.runInTime(["edit", folder.appending(name).string] + change))
      }
  }

  /// Decides the conflict that is still there.
  func decide() throws -> Run { try Program.docpkg.runInTime(["resolve", document, "--keep", "present"]) }

  /// The text that `runNext()` adds to a document.
  static let next = "the next edit"

  // MARK: Looking

  /// Returns the names of the documents.
  private func documents() throws -> [String] { try names().filter(Self.isDocument) }

  private static func isDocument(_ name: String) -> Bool {
    name.hasSuffix(".imageNotes") || name.hasSuffix(".rtfd")
  }

  /// Whether `docpkg list` shows a file of the library's own.
  func listsOwnFiles() throws -> Bool {
    try Program.docpkg.runInTime(["list", folder.string, "--json"]).output.contains(".docpkg")
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.string).filter { !$0.hasPrefix(".") }
  }

  /// Returns the files and folders that every program sees, without opening a document.
  func visible() throws -> TestTree {
    var visible: [FileName: TestTree] = [:]
    for (name, entry) in try TestTree.read(folder, of: PosixDisk()).entries where !name.string.hasPrefix(".")
    {
      guard case .directory(let children) = entry else {
        visible[name] = entry
        continue
      }
      visible[name] = .directory(children.filter { ![".docpkg", "Metadata.plist"].contains($0.key) })
    }
    return .directory(visible)
  }

  /// Opens and reads each document.
  func look() async throws -> Scene {
    var scene = Scene()
    for name in try names() {
      let path = folder.appending(name).string
      if Self.isDocument(name) {
        scene.documents[name] = try await DocumentSight.look(at: path)
      } else {
        scene.files[name] = try Data(contentsOf: URL(filePath: path))
      }
    }
    return scene
  }

  /// Returns the files that no program needs while none runs.
  func leftovers() throws -> [String] {
    var left = try FileManager.default.contentsOfDirectory(atPath: folder.string).filter { $0.hasPrefix(".") }
    for name in try documents() {
      let hidden = folder.appending(name).appending(".docpkg")
      if work == .others, FileManager.default.fileExists(atPath: hidden.string) {
        left.append("\(name)/.docpkg")
      }
      left += try CrashTests.leftovers(inHiddenFolder: hidden).map { "\(name)/.docpkg/\($0)" }
    }
    return left.sorted()
  }
}
