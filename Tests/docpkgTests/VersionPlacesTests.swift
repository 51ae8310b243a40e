import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Versions of a document in a container, on the command line", .tags(.process))
struct VersionPlacesTests {
  private struct Version: Decodable {
    var id: String?
    var number: Int?
    var modified: String
    var savingComputer: String
    var place: String?
    var current: Bool
  }

  private func output(_ arguments: String..., in folder: FilePath) throws -> String {
    let run = try run(tool, arguments, in: folder)
    #expect(run.status == 0, "\(arguments): \(run.errors)")
    return run.output
  }

  private func versions(_ arguments: String..., in folder: FilePath) throws -> [Version] {
    let run = try run(tool, ["versions"] + arguments + ["--json"], in: folder)
    #expect(run.status == 0, "\(arguments): \(run.errors)")
    return try JSONDecoder().decode([Version].self, from: Data(run.output.utf8))
  }

  /// Makes a container in a folder, with a laptop and a desktop.
  private func makeMachines(in folder: FilePath) throws {
    try FileManager.default.createDirectory(
      atPath: folder.appending("store").string, withIntermediateDirectories: false)
    _ = try output("cloud", "init", "store", "laptop", "--device", "laptop", in: folder)
    _ = try output("cloud", "add", "store", "desktop", "--device", "desktop", in: folder)
  }

  /// Syncs the laptop and brings a document to the desktop.
  private func bring(_ name: String, in folder: FilePath) throws {
    for device in ["laptop", "desktop"] { _ = try output("cloud", "sync", device, in: folder) }
    _ = try output("cloud", "download", "desktop/\(name)", in: folder)
  }

  @Test func `are listed with their computers and places, on both machines`() async throws {
    try await withTemporaryDirectory { folder in
      try makeMachines(in: folder)
      _ = try output("new", "laptop/Trip.imageNotes", "--text", "one", "--quiet", in: folder)
      // The container does not know the document yet.
      #expect(try versions("laptop/Trip.imageNotes", in: folder).map(\.place) == ["this computer"])
      for text in ["two", "three"] {
        _ = try output("edit", "laptop/Trip.imageNotes", "--append", text, "--quiet", in: folder)
      }
      try bring("Trip.imageNotes", in: folder)
      _ = try output("edit", "desktop/Trip.imageNotes", "--append", "four", "--quiet", in: folder)
      for device in ["desktop", "laptop"] { _ = try output("cloud", "sync", device, in: folder) }

      let own = try versions("laptop/Trip.imageNotes", "--local", in: folder)
      #expect(own.allSatisfy { $0.place == nil } && own.map(\.current).first == true && own.count >= 3)
      let others = try versions("desktop/Trip.imageNotes", "--local", in: folder)
      let onLaptop = try versions("laptop/Trip.imageNotes", in: folder)
      let onDesktop = try versions("desktop/Trip.imageNotes", in: folder)
      func listed(_ place: String, of versions: [Version]) -> [Version] {
        versions.filter { $0.place == place }
      }
      for (versions, kept) in [(onLaptop, own), (onDesktop, others)] {
        #expect(listed("this computer", of: versions).map(\.id) == kept.map(\.id))
        let stored = listed("the container", of: versions)
        #expect(stored.map(\.number) == [2, 1] && stored.map(\.savingComputer) == ["desktop", "laptop"])
        #expect(stored.allSatisfy { $0.id == nil && !$0.current })
      }

      let lines = try output("versions", "desktop/Trip.imageNotes", in: folder).split(separator: "\n")
      #expect(lines.count == onDesktop.count && lines[0].hasPrefix("* "))
      #expect(lines[0].hasSuffix(", on this computer"))
      #expect(lines.count { $0.hasSuffix("  by laptop, in the container") } == 1)
    }
  }

  @Test func `of a document with a database are listed in the same way`() async throws {
    try await withTemporaryDirectory { folder in
      try makeMachines(in: folder)
      let book = folder.appending("laptop/Book.recipebook").string
      try #require(try Program("bookkeeper").run([book, "0", "1"], in: folder, input: "").status == 0)
      try #require(try Program("bookkeeper").run([book, "2", "3"], in: folder, input: "").status == 0)
      try bring("Book.recipebook", in: folder)
      let listed = try versions("desktop/Book.recipebook", in: folder)
      #expect(listed.filter { $0.place == "the container" }.map(\.number) == [1])
      #expect(listed.filter { $0.place == "this computer" }.map(\.current) == [true])
    }
  }

  @Test func `are known while the store cannot be reached`() async throws {
    try await withTemporaryDirectory { folder in
      try makeMachines(in: folder)
      _ = try output("new", "laptop/Trip.imageNotes", "--text", "one", "--quiet", in: folder)
      _ = try output("cloud", "sync", "laptop", in: folder)
      try FileManager.default.moveItem(
        atPath: folder.appending("store").string, toPath: folder.appending("away").string)
      let run = try docpkg("versions", "laptop/Trip.imageNotes", in: folder)
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
      #expect(run.output.hasPrefix("* ") && run.output.split(separator: "\n").count == 2)
      #expect(try versions("laptop/Trip.imageNotes", "--local", in: folder).count == 1)
    }
  }

  @Test func `say why the container gave no answer`() async throws {
    try await withTemporaryDirectory { folder in
      try makeMachines(in: folder)
      _ = try output("new", "laptop/Trip.imageNotes", "--text", "one", in: folder)
      try "no settings".write(
        toFile: folder.appending("laptop/.docpkg-cloud/container.plist").string, atomically: true,
        encoding: .utf8)
      for command in ["versions", "conflicts"] {
        let run = try run(tool, [command, "laptop/Trip.imageNotes"], in: folder)
        #expect(run.errors.contains("the settings of its container are damaged"), "\(run)")
        #expect(command == "conflicts" || run.status == 1, "\(run)")
      }
    }
  }
}
