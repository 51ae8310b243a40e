import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Versions of a document in a container, on the command line", .tags(.process), .temporaryDirectory)
struct VersionPlacesTests {
  private struct Version: Decodable {
    var id: String?
    var number: Int?
    var modified: String
    var savingComputer: String
    var place: String?
    var current: Bool
  }

  private func versions(_ arguments: String...) throws -> [Version] {
    let run = try run(tool, ["versions"] + arguments + ["--json"])
    #expect(run.status == 0, "\(arguments): \(run.errors)")
    return try decoded(run)
  }

  /// Makes a container in a folder, with a laptop and a desktop.
  private func makeMachines() throws {
    try makeDirectory("store")
    try output("cloud", "init", "store", "laptop", "--device", "laptop")
    try output("cloud", "add", "store", "desktop", "--device", "desktop")
  }

  /// Syncs the laptop and brings a document to the desktop.
  private func bring(_ name: String) throws {
    for device in ["laptop", "desktop"] { try output("cloud", "sync", device) }
    try output("cloud", "download", "desktop/\(name)")
  }

  @Test func `are listed with their computers and places, on both machines`() throws {
    try makeMachines()
    try output("new", "laptop/Trip.imageNotes", "--text", "one", "--quiet")
    // The container does not know the document yet.
    #expect(try versions("laptop/Trip.imageNotes").map(\.place) == ["this computer"])
    for text in ["two", "three"] {
      try output("edit", "laptop/Trip.imageNotes", "--append", text, "--quiet")
    }
    try bring("Trip.imageNotes")
    try output("edit", "desktop/Trip.imageNotes", "--append", "four", "--quiet")
    for device in ["desktop", "laptop"] { try output("cloud", "sync", device) }

    let own = try versions("laptop/Trip.imageNotes", "--local")
    #expect(own.allSatisfy { $0.place == nil } && own.map(\.current).first == true && own.count >= 3)
    let others = try versions("desktop/Trip.imageNotes", "--local")
    let onLaptop = try versions("laptop/Trip.imageNotes")
    let onDesktop = try versions("desktop/Trip.imageNotes")
    func listed(_ place: String, of versions: [Version]) -> [Version] {
      versions.filter { $0.place == place }
    }
    for (versions, kept) in [(onLaptop, own), (onDesktop, others)] {
      #expect(listed("this computer", of: versions).map(\.id) == kept.map(\.id))
      let stored = listed("the container", of: versions)
      #expect(stored.map(\.number) == [2, 1] && stored.map(\.savingComputer) == ["desktop", "laptop"])
      #expect(stored.allSatisfy { $0.id == nil && !$0.current })
    }

    let lines = try output("versions", "desktop/Trip.imageNotes").split(separator: "\n")
    #expect(lines.count == onDesktop.count && lines[0].hasPrefix("* "))
    #expect(lines[0].hasSuffix(", on this computer"))
    #expect(lines.count { $0.hasSuffix("  by laptop, in the container") } == 1)
  }

  @Test func `of a document with a database are listed in the same way`() throws {
    try makeMachines()
    let book = folder.appending("laptop/Book.recipebook").string
    try #require(try Program("bookkeeper").run([book, "0", "1"], in: folder, input: "").status == 0)
    try #require(try Program("bookkeeper").run([book, "2", "3"], in: folder, input: "").status == 0)
    try bring("Book.recipebook")
    let listed = try versions("desktop/Book.recipebook")
    #expect(listed.filter { $0.place == "the container" }.map(\.number) == [1])
    #expect(listed.filter { $0.place == "this computer" }.map(\.current) == [true])
  }

  @Test func `are known while the store cannot be reached`() throws {
    try makeMachines()
    try output("new", "laptop/Trip.imageNotes", "--text", "one", "--quiet")
    try output("cloud", "sync", "laptop")
    try FileManager.default.moveItem(
      atPath: folder.appending("store").string, toPath: folder.appending("away").string)
    let run = try docpkg("versions", "laptop/Trip.imageNotes")
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    #expect(run.output.hasPrefix("* ") && run.output.split(separator: "\n").count == 2)
    #expect(try versions("laptop/Trip.imageNotes", "--local").count == 1)
  }

  @Test func `say why the container gave no answer`() throws {
    try makeMachines()
    try output("new", "laptop/Trip.imageNotes", "--text", "one")
    try write("no settings", to: "laptop/.docpkg-cloud/container.plist")
    for command in ["versions", "conflicts"] {
      let run = try run(tool, [command, "laptop/Trip.imageNotes"])
      #expect(run.errors.contains("the settings of its container are damaged"), "\(run)")
      #expect(command == "conflicts" || run.status == 1, "\(run)")
    }
  }
}
