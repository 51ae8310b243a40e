import DurableIO
import FilePackages
import Foundation
import SystemPackage
import TestSupport
import Testing

/// The file system of this machine refuses, with flags of chattr(1) and with bind mounts.
@Suite(
  "Places that the file system protects", .tags(.process),
  .enabled(if: geteuid() == 0, "only the superuser may set these flags and mount"), .temporaryDirectory)
struct RefusedPlaceTests {
  private static func setFlag(_ flag: String, _ path: FilePath) throws {
    #expect(try Program(path: "/usr/bin/chattr").run([flag, path.string]).status == 0)
  }

  private static func document() throws -> FilePath {
    try write("new\n", to: "new")
    try output("new", "T.imageNotes", "--text", "a")
    try output("edit", "T.imageNotes", "--set", "g=new")
    return folder.appending("T.imageNotes")
  }

  @Test func `are refused before the commit, and the next edit is saved`() throws {
    let document = try Self.document()
    let child = document.appending("g")
    try Self.setFlag("+i", child)
    try expectMessage(["edit", "T.imageNotes", "--set", "g=/etc/passwd"], "immutable; 'chattr -i'")
    try Self.setFlag("-i", child)
    let script = #"mount --bind T.imageNotes/Text.txt T.imageNotes/g; "$0" edit T.imageNotes --remove g"#
    let mounted = try run(Program(path: "/usr/bin/unshare"), ["-m", "sh", "-c", script, tool.path])
    #expect(
      mounted.status == 2 && mounted.errors.contains("another file system is mounted"), "\(mounted.errors)")
    try output("edit", "T.imageNotes", "--append", "b")
    try output("verify", "T.imageNotes")
  }

  @Test func `hold up a save that is committed, until recover gives them up`() async throws {
    let document = try Self.document()
    let store = try await PackageStore.open(document, on: PosixDisk())
    try await store.tree.put(Data("wanted".utf8), named: "g")
    try await store.tree.put(Data("other".utf8), named: "h")
    try await store.save(options: .returnsAtCommit)
    try Self.setFlag("+i", document.appending("g"))
    // The store's last use; its descriptors close here.
    await #expect(throws: FilePackageError.self) { try await store.close() }

    let edit = try docpkg("edit", "T.imageNotes", "--append", "b")
    #expect(edit.status == 2)
    #expect(edit.errors.contains("an earlier save cannot be published: operation not permitted"))
    #expect(edit.errors.contains("'docpkg recover --discard-unpublishable'"), "\(edit.errors)")
    #expect(try docpkg("recover", "T.imageNotes").status == 1)
    let plan = try docpkg("recover", "T.imageNotes", "--discard-unpublishable", "--dry-run")
    #expect(plan.status == 0 && plan.output.contains("write g (6 B)") && !plan.output.contains("dropped"))

    let recovered = try docpkg("recover", "T.imageNotes", "--discard-unpublishable")
    #expect(recovered.status == 0, "\(recovered.errors)")
    let line = try #require(recovered.output.split(separator: "\n").first { $0.hasPrefix("dropped: ") })
    #expect(
      line.hasPrefix(
        "dropped: write g (6 B): operation not permitted; its bytes are in '.docpkg/conflicts/"))
    let kept = try #require(line.split(separator: "'").dropFirst().first)
    #expect(try Data(contentsOf: URL(filePath: "\(document)/\(kept)")) == Data("wanted".utf8))
    #expect(try String(contentsOf: URL(filePath: "\(document)/g"), encoding: .utf8) == "new\n")
    #expect(try String(contentsOf: URL(filePath: "\(document)/h"), encoding: .utf8) == "other")
    try output("edit", "T.imageNotes", "--append", "b")
    try output("verify", "T.imageNotes")
    try Self.setFlag("-i", document.appending("g"))
  }
}
