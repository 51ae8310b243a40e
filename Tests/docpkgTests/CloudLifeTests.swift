import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg cloud, over a longer time", .tags(.process))
struct CloudLifeTests {
  /// Runs a command that has to succeed.
  @discardableResult
  private func cloud(_ arguments: String..., in folder: FilePath) throws -> String {
    let run = try run(tool, ["cloud"] + arguments, in: folder)
    #expect(run.status == 0 && run.errors.isEmpty, "\(arguments): \(run.errors)")
    return run.output
  }

  private func write(_ text: String, to name: String, in folder: FilePath) throws {
    let file = URL(filePath: folder.appending(name).string)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func text(_ name: String, in folder: FilePath) throws -> String {
    try String(contentsOfFile: folder.appending(name).string, encoding: .utf8)
  }

  /// Makes a container with the folder `A` of the machine `laptop`.
  private func withFolder(_ body: (FilePath) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      try FileManager.default.createDirectory(
        atPath: folder.appending("disk").string, withIntermediateDirectories: true)
      try cloud("init", "disk", "A", "--device", "laptop", in: folder)
      try await body(folder)
    }
  }

  private struct Version: Decodable {
    var number: Int
    var date: String
    var device: String
    var size: Int
    var name: String
    var deleted: Bool
  }

  @Test func `lists, renames and removes machines`() async throws {
    try await withFolder { folder in
      try cloud("add", "disk", "B", "--device", "desktop", in: folder)
      for name in ["A", "B"] { try cloud("sync", name, in: folder) }
      let listed = try cloud("devices", "A", in: folder)
      #expect(listed.contains("  laptop\n") && listed.contains("  desktop\n"), "\(listed)")
      #expect(listed.split(separator: "\n").filter { $0.hasPrefix("* ") }.count == 1)
      try cloud("devices", "B", "--rename", "tower", in: folder)
      #expect(try cloud("devices", "A", "--json", in: folder).contains(#""name":"tower""#))
      for wrong in ["desktop", "none"] {
        let refused = try run(tool, ["cloud", "devices", "A", "--remove", wrong], in: folder)
        #expect(refused.status == 2 && refused.errors.contains("no machine '\(wrong)'"), "\(refused.errors)")
      }
      try cloud("devices", "A", "--remove", "tower", in: folder)
      let removed = try run(tool, ["cloud", "sync", "B"], in: folder)
      #expect(removed.status == 2 && removed.errors.contains("'docpkg cloud leave'"), "\(removed.errors)")
      let both = try run(tool, ["cloud", "devices", "A", "--remove", "a", "--rename", "b"], in: folder)
      #expect(both.status == 64)
    }
  }

  @Test func `says which object of the store cannot be read, in each command that needs it`() async throws {
    try await withFolder { folder in
      try cloud("add", "disk", "B", "--device", "desktop", in: folder)
      for name in ["A", "B"] { try cloud("sync", name, in: folder) }
      try write("one", to: "A/a.txt", in: folder)
      try cloud("sync", "A", in: folder)
      let log = folder.appending("disk/log").string
      let last = try #require(try FileManager.default.contentsOfDirectory(atPath: log).max())
      try write("garbage", to: "disk/log/\(last)", in: folder)
      for command in ["sync", "devices", "gc", "check"] {
        let result = try run(tool, ["cloud", command, "B"], in: folder)
        #expect(result.status == (command == "check" ? 1 : 2), "\(command)")
        #expect((result.errors + result.output).contains("log/\(last)"), "\(command): \(result)")
      }
      // What is known here can be listed, and the other machine makes the object whole.
      for command in ["list", "status"] { try cloud(command, "B", in: folder) }
      #expect(try cloud("repair", "A", in: folder).hasPrefix("stored again 1 entry of the log\n"))
      #expect(try cloud("sync", "B", in: folder).contains("1 document new in the container"))
    }
  }

  @Test func `lists versions, and brings one back or writes it beside the document`() async throws {
    try await withFolder { folder in
      try write("one", to: "A/Notes.txt", in: folder)
      try cloud("sync", "A", in: folder)
      try write("two, longer", to: "A/Notes.txt", in: folder)
      try cloud("sync", "A", in: folder)
      let lines = try cloud("versions", "A/Notes.txt", in: folder).split(separator: "\n")
      #expect(
        lines.count == 2 && lines[0].hasPrefix("     2  ") && lines[0].hasSuffix("          11  laptop"))
      let versions = try JSONDecoder().decode(
        [Version].self, from: Data(try cloud("versions", "A/Notes.txt", "--json", in: folder).utf8))
      #expect(versions.map(\.number) == [2, 1] && versions.map(\.size) == [11, 3])
      #expect(versions.allSatisfy { $0.device == "laptop" && $0.date.hasSuffix("Z") && !$0.deleted })
      #expect(
        try cloud("restore", "A/Notes.txt", "--version", "1", in: folder)
          == "restored version 1 as Notes.txt\n")
      #expect(try text("A/Notes.txt", in: folder) == "one")
      let none = try run(tool, ["cloud", "restore", "A/Notes.txt", "--version", "9"], in: folder)
      #expect(none.status == 2 && none.errors.contains("no version 9"), "\(none.errors)")
    }
  }

  @Test func `names the device of the document in its place and of each conflict version`() async throws {
    try await withFolder { folder in
      func docpkg(_ arguments: String...) throws -> String { try run(tool, arguments, in: folder).output }
      try write("one", to: "A/Trip.imageNotes/1.bin", in: folder)
      try cloud("sync", "A", in: folder)
      try cloud("add", "disk", "B", "--device", "desktop", in: folder)
      try cloud("sync", "B", in: folder)
      try cloud("download", "B/Trip.imageNotes", in: folder)
      try write("of A", to: "A/Trip.imageNotes/1.bin", in: folder)
      try write("of B", to: "B/Trip.imageNotes/1.bin", in: folder)
      for (name, status) in [("A", 0), ("B", 1), ("A", 1)] as [(String, Int32)] {
        #expect(try run(tool, ["cloud", "sync", name], in: folder).status == status)
      }
      for name in ["A", "B"] {
        let lines = try docpkg("conflicts", "\(name)/Trip.imageNotes").split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("  laptop  in its place, "), "\(lines)")
        #expect(lines.last?.contains("  desktop  left by docpkg cloud, ") == true, "\(lines)")
        #expect(
          try docpkg("conflicts", "\(name)/Trip.imageNotes", "--json")
            .contains(#""savingComputer":"laptop""#))
      }
      let id = try docpkg("conflicts", "B/Trip.imageNotes").split(separator: "\n")[1].prefix(10).suffix(8)
      _ = try docpkg("resolve", "B/Trip.imageNotes", "--keep", String(id), "present", "--quiet")
      #expect(try text("B/Trip.imageNotes/1.bin", in: folder) == "of B")
      #expect(try text("B/Trip (laptop).imageNotes/1.bin", in: folder) == "of A")
    }
  }

  @Test func `leaves a container with all documents, or names what is not uploaded`() async throws {
    try await withFolder { folder in
      try write("one", to: "A/Notes.txt", in: folder)
      try write("two", to: "A/Old.txt", in: folder)
      try cloud("sync", "A", in: folder)
      try cloud("evict", "A/Old.txt", in: folder)
      try write("three", to: "A/Notes.txt", in: folder)
      let refused = try run(tool, ["cloud", "leave", "A"], in: folder)
      #expect(refused.status == 2 && refused.errors.contains("'Notes.txt'"), "\(refused.errors)")
      try cloud("sync", "A", in: folder)
      #expect(
        try cloud("leave", "A", in: folder)
          == "not here: Old.txt\nA has left the container, with 1 document\n")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.appending("A").string) == ["Notes.txt"])
      #expect(try run(tool, ["cloud", "status", "A"], in: folder).status == 2)
      try cloud("add", "disk", "A", in: folder)
      #expect(try cloud("status", "A", in: folder).contains("1 document, 1 here"))
    }
  }

  @Test func `tells the steps of a run, and does none`() async throws {
    try await withFolder { folder in
      try write("one", to: "A/a.txt", in: folder)
      try write("one", to: "A/b.txt", in: folder)
      try cloud("sync", "A", in: folder)
      try write("two", to: "A/a.txt", in: folder)
      try FileManager.default.removeItem(atPath: folder.appending("A/b.txt").string)
      let disk = folder.appending("disk").string
      let before = try FileManager.default.subpathsOfDirectory(atPath: disk)
      let lines = try cloud("sync", "A", "--dry-run", in: folder).split(separator: "\n")
      #expect(Set(lines.prefix(2)) == ["would upload a.txt", "would delete b.txt"])
      #expect(lines.last?.contains(", 0 B sent, ") == true, "\(lines)")
      #expect(try cloud("sync", "A", "-n", "--json", in: folder).contains(#""dryRun":true"#))
      #expect(try FileManager.default.subpathsOfDirectory(atPath: disk) == before)
      #expect(try run(tool, ["cloud", "sync", "A", "-n", "--watch"], in: folder).status == 64)
      let done = try cloud("sync", "A", in: folder)
      #expect(Set(done.split(separator: "\n").prefix(2)) == ["uploaded a.txt", "deleted b.txt"])
      for limit in [
        ["--limit-rate", "0"], ["--limit-rate", "1K", "--connections", "2"],
        ["--connections", "9"],
      ] {
        #expect(try run(tool, ["cloud", "sync", "A"] + limit, in: folder).status == 64)
      }
      let refused = try run(tool, ["cloud", "sync", "A", "--limit-rate", "10M"], in: folder)
      #expect(
        refused.status == 2 && refused.errors.contains("are for a service"), "\(refused.errors)")
    }
  }

  @Test func `keeps the documents here that its setting names`() async throws {
    try await withFolder { folder in
      try write("one", to: "A/Travel/a.txt", in: folder)
      try write("one", to: "A/b.txt", in: folder)
      try cloud("sync", "A", in: folder)
      try cloud("add", "disk", "B", in: folder)
      #expect(try cloud("keep", "B", "Travel/", "*.md", in: folder) == "B keeps here: Travel/ *.md\n")
      #expect(try cloud("sync", "B", in: folder).hasPrefix("downloaded Travel/a.txt\n"))
      #expect(try cloud("status", "B", in: folder).contains("keeps here: Travel/ *.md\n"))
      let kept = try run(tool, ["cloud", "evict", "B/Travel/a.txt"], in: folder)
      #expect(kept.status == 2 && kept.errors.contains("keep it here"), "\(kept.errors)")
      #expect(try cloud("keep", "B", "--all", in: folder) == "B keeps all documents here\n")
      #expect(try cloud("sync", "B", in: folder).hasPrefix("downloaded b.txt\n"))
      try cloud("keep", "B", "--opened", in: folder)
      try cloud("evict", "B/b.txt", in: folder)
      #expect(try run(tool, ["cloud", "keep", "B"], in: folder).status == 64)
    }
  }

  @Test func `moves the folder to a copy of its store, and tells the old one`() async throws {
    try await withFolder { folder in
      try cloud("add", "disk", "B", "--device", "desktop", in: folder)
      try write("one", to: "A/a.txt", in: folder)
      for name in ["A", "B"] { try cloud("sync", name, in: folder) }
      try FileManager.default.createDirectory(
        atPath: folder.appending("other").string, withIntermediateDirectories: true)
      #expect(try run(tool, ["cloud", "relocate", "A", "other"], in: folder).status == 2)
      #expect(try cloud("status", "A", in: folder).contains("/disk\n"))
      try FileManager.default.removeItem(atPath: folder.appending("other").string)
      try FileManager.default.copyItem(
        atPath: folder.appending("disk").string, toPath: folder.appending("other").string)
      #expect(try cloud("relocate", "A", "other", "--moved", in: folder).hasSuffix("/other\n"))
      let told = try run(tool, ["cloud", "sync", "B"], in: folder)
      #expect(told.status == 2 && told.errors.contains("has moved to "), "\(told)")
      // The store is at another place, and the old one is gone.
      try FileManager.default.removeItem(atPath: folder.appending("disk").string)
      try FileManager.default.moveItem(
        atPath: folder.appending("other").string, toPath: folder.appending("third").string)
      try cloud("relocate", "A", "third", "--quiet", in: folder)
      try write("two", to: "A/a.txt", in: folder)
      #expect(try cloud("sync", "A", in: folder).hasPrefix("uploaded a.txt\n"))
      try cloud("check", "A", "--read", in: folder)
    }
  }

  @Test func `ignores items by the rules of the folder`() async throws {
    try await withFolder { folder in
      try write("*.tmp\nbuild/\n", to: "A/.docpkgignore", in: folder)
      for name in ["a.tmp", "a.txt", "build/1.o"] { try write("text", to: "A/\(name)", in: folder) }
      #expect(try cloud("sync", "A", in: folder).hasPrefix("uploaded a.txt\n"))
      #expect(try cloud("status", "A", in: folder).contains("\n2 ignored by .docpkgignore or as temporary\n"))
      #expect(try cloud("status", "A", "--json", in: folder).contains(#""ignored":2"#))
      for (name, isIgnored) in [("b.tmp", true), ("b.txt", false)] {
        try write("text", to: name, in: folder)
        let moved = try run(tool, ["cloud", "move", name, "--to", "A"], in: folder)
        #expect(moved.status == 0 && moved.output.hasPrefix("\(name) -> "))
        #expect(moved.errors.contains("ignores '\(name)'") == isIgnored, "\(moved.errors)")
      }
    }
  }
}
