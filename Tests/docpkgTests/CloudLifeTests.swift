import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg cloud, over a longer time", .tags(.process), .temporaryDirectory)
struct CloudLifeTests {
  /// Makes a container with the folder `A` of the machine `laptop`.
  private func makeFolder() throws {
    try makeDirectory("disk")
    try cloud("init", "disk", "A", "--device", "laptop")
  }

  private struct Version: Decodable {
    var number: Int
    var date: String
    var device: String
    var size: Int
    var name: String
    var deleted: Bool
  }

  @Test func `lists, renames and removes machines`() throws {
    try makeFolder()
    try cloud("add", "disk", "B", "--device", "desktop")
    for name in ["A", "B"] { try cloud("sync", name) }
    let listed = try cloud("devices", "A")
    #expect(listed.contains("  laptop\n") && listed.contains("  desktop\n"), "\(listed)")
    #expect(listed.split(separator: "\n").filter { $0.hasPrefix("* ") }.count == 1)
    try cloud("devices", "B", "--rename", "tower")
    #expect(try cloud("devices", "A", "--json").contains(#""name":"tower""#))
    for wrong in ["desktop", "none"] {
      try expectMessage(["cloud", "devices", "A", "--remove", wrong], "no machine '\(wrong)'")
    }
    try cloud("devices", "A", "--remove", "tower")
    try expectMessage(["cloud", "sync", "B"], "'docpkg cloud leave'")
    #expect(try run(tool, ["cloud", "devices", "A", "--remove", "a", "--rename", "b"]).status == 64)
  }

  @Test func `says which object of the store cannot be read, in each command that needs it`() throws {
    try makeFolder()
    try cloud("add", "disk", "B", "--device", "desktop")
    for name in ["A", "B"] { try cloud("sync", name) }
    try write("one", to: "A/a.txt")
    try cloud("sync", "A")
    let log = folder.appending("disk/log").string
    let last = try #require(try FileManager.default.contentsOfDirectory(atPath: log).max())
    try write("garbage", to: "disk/log/\(last)")
    for command in ["sync", "devices", "gc", "check"] {
      let result = try run(tool, ["cloud", command, "B"])
      #expect(result.status == (command == "check" ? 1 : 2), "\(command)")
      #expect((result.errors + result.output).contains("log/\(last)"), "\(command): \(result)")
    }
    // This machine lists the documents that it knows, and the other one makes the object whole.
    for command in ["list", "status"] { try cloud(command, "B") }
    #expect(try cloud("repair", "A").hasPrefix("stored again 1 entry of the log\n"))
    #expect(try cloud("sync", "B").contains("1 document new in the container"))
  }

  @Test func `lists versions, and brings one back or writes it beside the document`() throws {
    try makeFolder()
    try write("one", to: "A/Notes.txt")
    try cloud("sync", "A")
    try write("two, longer", to: "A/Notes.txt")
    try cloud("sync", "A")
    let lines = try cloud("versions", "A/Notes.txt").split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("     2  ") && lines[0].hasSuffix("          11  laptop"))
    let versions: [Version] = try decoded(docpkg("cloud", "versions", "A/Notes.txt", "--json"))
    #expect(versions.map(\.number) == [2, 1] && versions.map(\.size) == [11, 3])
    #expect(versions.allSatisfy { $0.device == "laptop" && $0.date.hasSuffix("Z") && !$0.deleted })
    #expect(try cloud("restore", "A/Notes.txt", "--version", "1") == "restored version 1 as Notes.txt\n")
    #expect(try text("A/Notes.txt") == "one")
    try expectMessage(["cloud", "restore", "A/Notes.txt", "--version", "9"], "no version 9")
  }

  @Test func `names the device of the document in its place and of each conflict version`() throws {
    try makeFolder()
    try write("one", to: "A/Trip.imageNotes/1.bin")
    try cloud("sync", "A")
    try cloud("add", "disk", "B", "--device", "desktop")
    try cloud("sync", "B")
    try cloud("download", "B/Trip.imageNotes")
    try write("of A", to: "A/Trip.imageNotes/1.bin")
    try write("of B", to: "B/Trip.imageNotes/1.bin")
    for (name, status) in [("A", 0), ("B", 1), ("A", 1)] as [(String, Int32)] {
      #expect(try run(tool, ["cloud", "sync", name]).status == status)
    }
    for name in ["A", "B"] {
      let lines = try docpkg("conflicts", "\(name)/Trip.imageNotes").output.split(separator: "\n")
      #expect(lines.count == 2 && lines[0].contains("  laptop  in its place, "), "\(lines)")
      #expect(lines.last?.contains("  desktop  left by docpkg cloud, ") == true, "\(lines)")
      #expect(
        try docpkg("conflicts", "\(name)/Trip.imageNotes", "--json").output
          .contains(#""savingComputer":"laptop""#))
    }
    let id = try docpkg("conflicts", "B/Trip.imageNotes").output.split(separator: "\n")[1].prefix(10).suffix(
      8)
    try docpkg("resolve", "B/Trip.imageNotes", "--keep", String(id), "present", "--quiet")
    #expect(try text("B/Trip.imageNotes/1.bin") == "of B")
    #expect(try text("B/Trip (laptop).imageNotes/1.bin") == "of A")
  }

  @Test func `names the device of a document whose path begins with a dash`() throws {
    try makeFolder()
    try write("one", to: "A/-x.imageNotes/Text.txt")
    let run = try docpkg("conflicts", "--", "-x.imageNotes", in: folder.appending("A"))
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
  }

  @Test func `leaves a container with all documents, or names what is not uploaded`() throws {
    try makeFolder()
    try write("one", to: "A/Notes.txt")
    try write("two", to: "A/Old.txt")
    try cloud("sync", "A")
    try cloud("evict", "A/Old.txt")
    try write("three", to: "A/Notes.txt")
    try expectMessage(["cloud", "leave", "A"], "'Notes.txt'")
    try cloud("sync", "A")
    #expect(try cloud("leave", "A") == "not here: Old.txt\nA has left the container, with 1 document\n")
    #expect(try names(in: "A") == ["Notes.txt"])
    #expect(try run(tool, ["cloud", "status", "A"]).status == 2)
    try cloud("add", "disk", "A")
    #expect(try cloud("status", "A").contains("1 document, 1 here"))
  }

  @Test func `tells the steps of a run, and does none`() throws {
    try makeFolder()
    try write("one", to: "A/a.txt")
    try write("one", to: "A/b.txt")
    try cloud("sync", "A")
    try write("two", to: "A/a.txt")
    try remove("A/b.txt")
    let disk = folder.appending("disk").string
    let before = try FileManager.default.subpathsOfDirectory(atPath: disk)
    let lines = try cloud("sync", "A", "--dry-run").split(separator: "\n")
    #expect(Set(lines.prefix(2)) == ["would upload a.txt", "would delete b.txt"])
    #expect(lines.last?.contains(", 0 B sent, ") == true, "\(lines)")
    #expect(try cloud("sync", "A", "-n", "--json").contains(#""dryRun":true"#))
    #expect(try FileManager.default.subpathsOfDirectory(atPath: disk) == before)
    #expect(try run(tool, ["cloud", "sync", "A", "-n", "--watch"]).status == 64)
    let done = try cloud("sync", "A")
    #expect(Set(done.split(separator: "\n").prefix(2)) == ["uploaded a.txt", "deleted b.txt"])
    #expect(try run(tool, ["cloud", "sync", "A", "--limit-rate", "0"]).status == 64)
    try expectMessage(["cloud", "sync", "A", "--limit-rate", "10M"], "is for a service")
  }

  @Test func `keeps the documents here that its setting names`() throws {
    try makeFolder()
    try write("one", to: "A/Travel/a.txt")
    try write("one", to: "A/b.txt")
    try cloud("sync", "A")
    try cloud("add", "disk", "B")
    #expect(try cloud("keep", "B", "Travel/", "*.md") == "B keeps here: Travel/ *.md\n")
    #expect(try cloud("sync", "B").hasPrefix("downloaded Travel/a.txt\n"))
    #expect(try cloud("status", "B").contains("keeps here: Travel/ *.md\n"))
    try expectMessage(["cloud", "evict", "B/Travel/a.txt"], "keep it here")
    #expect(try cloud("keep", "B", "--all") == "B keeps all documents here\n")
    #expect(try cloud("sync", "B").hasPrefix("downloaded b.txt\n"))
    try cloud("keep", "B", "--opened")
    try cloud("evict", "B/b.txt")
    #expect(try run(tool, ["cloud", "keep", "B"]).status == 64)
  }

  @Test func `moves the folder to a copy of its store, and tells the old one`() throws {
    try makeFolder()
    try cloud("add", "disk", "B", "--device", "desktop")
    try write("one", to: "A/a.txt")
    for name in ["A", "B"] { try cloud("sync", name) }
    try makeDirectory("other")
    #expect(try run(tool, ["cloud", "relocate", "A", "other"]).status == 2)
    #expect(try cloud("status", "A").contains("/disk\n"))
    try remove("other")
    try FileManager.default.copyItem(
      atPath: folder.appending("disk").string, toPath: folder.appending("other").string)
    #expect(try cloud("relocate", "A", "other", "--moved").hasSuffix("/other\n"))
    try expectMessage(["cloud", "sync", "B"], "has moved to ")
    // The store is at another place, and the old one is gone.
    try remove("disk")
    try FileManager.default.moveItem(
      atPath: folder.appending("other").string, toPath: folder.appending("third").string)
    try cloud("relocate", "A", "third", "--quiet")
    try write("two", to: "A/a.txt")
    #expect(try cloud("sync", "A").hasPrefix("uploaded a.txt\n"))
    try cloud("check", "A", "--read")
  }

  @Test func `ignores items by the rules of the folder`() throws {
    try makeFolder()
    try write("*.tmp\nbuild/\n", to: "A/.docpkgignore")
    for name in ["a.tmp", "a.txt", "build/1.o"] { try write("text", to: "A/\(name)") }
    #expect(try cloud("sync", "A").hasPrefix("uploaded a.txt\n"))
    #expect(try cloud("status", "A").contains("\n2 ignored by .docpkgignore or as temporary\n"))
    #expect(try cloud("status", "A", "--json").contains(#""ignored":2"#))
    for (name, isIgnored) in [("b.tmp", true), ("b.txt", false)] {
      try write("text", to: name)
      let moved = try run(tool, ["cloud", "move", name, "--to", "A"])
      #expect(moved.status == 0 && moved.output.hasPrefix("\(name) -> "))
      #expect(moved.errors.contains("ignores '\(name)'") == isIgnored, "\(moved.errors)")
    }
  }
}
