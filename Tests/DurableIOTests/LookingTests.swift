import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("Every disk tells", .temporaryDirectory)
struct LookingTests {
  @Test(arguments: EveryDisk.allCases)
  func `the same of a node by its name and by its descriptor`(on kind: EveryDisk) throws {
    let root = try kind.folder([
      "directory": ["x": ""], "link": .link([0x61, 0xFF]), "file": .file([1, 2, 3], mode: 0o640),
    ])
    let file = try root.status("file")
    #expect(file.kind == .file)
    #expect(file.size == 3)
    #expect(file.mode == 0o640)
    #expect(try root.disk.status(of: root.disk.openFile("file", in: root.descriptor)) == file)

    let directory = try root.status("directory")
    #expect(directory.kind == .directory)
    #expect(try root.disk.status(of: root.folder("directory").descriptor) == directory)

    let link = try root.status("link")
    #expect(link.kind == .symbolicLink)
    #expect(link.size == 2)
    #expect(Set([file, directory, link].map(\.identity.inode)).count == 3)
    #expect(Set([file, directory, link].map(\.identity.device)).count == 1)
    #expect(reason { _ = try root.status("nothing") } == .noSuchFileOrDirectory)
  }

  @Test(arguments: EveryDisk.allCases)
  func `by the identity what has changed`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root()
    let file = try disk.createFile("file", in: root.descriptor, mode: 0o600)
    let old = FileTime(seconds: 1_000_000_000, nanoseconds: 5)
    try disk.setModified(old, of: file)
    let first = try disk.status(of: file).identity

    try disk.link("file", in: root.descriptor, to: "second", in: root.descriptor)
    #expect(try disk.status(of: file).identity.hasSameContents(as: first))

    try disk.rename("file", in: root.descriptor, to: "renamed", in: root.descriptor, .noReplace)
    #expect(try root.status("renamed").identity.hasSameContents(as: first))

    try disk.writeAll([1], to: file)
    let written = try disk.status(of: file).identity
    #expect(written.isSameNode(as: first))
    #expect(written.modified > old)

    try disk.makeFile("another", [], in: root.descriptor)
    #expect(try !root.status("another").identity.isSameNode(as: first))
  }

  @Test(arguments: EveryDisk.allCases)
  func `when a file was made, whatever became of it since`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root()
    let file = try disk.createFile("file", in: root.descriptor, mode: 0o600)
    let born = try disk.status(of: file).born
    // Some file systems do not record it.
    if kind != .posix { #expect(born != nil) }
    try disk.writeAll([1], to: file)
    try disk.setMode(0o640, of: file)
    try disk.setModified(FileTime(seconds: 1, nanoseconds: 0), of: file)
    try disk.rename("file", in: root.descriptor, to: "renamed", in: root.descriptor, .noReplace)
    try disk.link("renamed", in: root.descriptor, to: "second", in: root.descriptor)
    #expect(try disk.status(of: file).born == born)
    #expect(try root.status("second").born == born)

    try disk.makeFile("another", [], in: root.descriptor)
    let later = try root.status("another").born
    if let born, let later { #expect(born <= later) } else { #expect(born == later) }
  }

  @Test(arguments: EveryDisk.allCases)
  func `all entries of a directory, and no others`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    #expect(try root.names() == [])
    try root.make(["directory": ["x": ""], "link": .link([0x61]), "file": "", "élan": ""])
    let listing = try root.disk.list(root.descriptor)
    #expect(listing.count == 4)
    let kinds = try ["directory", "link", "file", "élan"].map { name in
      listing.kind(at: try #require(listing.position(of: FileName(name))))
    }
    #expect(kinds == [.directory, .symbolicLink, .file, .file])

    try root.disk.removeFile("file", in: root.descriptor)
    #expect(try root.names() == ["directory", "link", "élan"])
  }

  @Test(arguments: EveryDisk.allCases)
  func `a thousand entries`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    let names = (0..<1000).map { FileName("a child with the number \($0)") }
    for name in names { try root.disk.makeFile(name, [], in: root.descriptor) }
    #expect(try root.names() == names.sorted())
  }

  @Test(arguments: EveryDisk.allCases)
  func `where a symbolic link leads, byte by byte`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    let destinations: [[UInt8]] = [[0x2E, 0x2E, 0x2F, 0xFF], [0x61], [UInt8](repeating: 0x62, count: 4095)]
    for (number, destination) in destinations.enumerated() {
      let name = FileName("link \(number)")
      try root.disk.makeSymbolicLink(to: destination, named: name, in: root.descriptor)
      #expect(try root.disk.destination(of: name, in: root.descriptor) == destination)
    }
    try root.make(["file": "", "directory": [:]])
    func reading(_ name: FileName) -> Errno? {
      reason { _ = try root.disk.destination(of: name, in: root.descriptor) }
    }
    #expect(reading("file") == .invalidArgument)
    #expect(reading("directory") == .invalidArgument)
    #expect(reading("nothing") == .noSuchFileOrDirectory)
  }

  @Test(arguments: EveryDisk.allCases)
  func `the extended attributes that a copy must carry`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root(["file": "", "directory": [:]])
    let file = try disk.openFile("file", in: root.descriptor)
    #expect(try disk.extendedAttributes(of: file) == [:])
    // Some file systems have no extended attributes.
    if reason({ try disk.setExtendedAttribute("user.note", [1, 0, 255], of: file) }) == .notSupported {
      return
    }
    try disk.setExtendedAttribute("user.empty", [], of: file)
    #expect(try disk.extendedAttributes(of: file) == ["user.note": [1, 0, 255], "user.empty": []])
    try disk.setExtendedAttribute("user.note", [2], of: file)
    #expect(try disk.extendedAttributes(of: file)["user.note"] == [2])

    let directory = try root.folder("directory")
    try disk.setExtendedAttribute("user.of a directory", [3], of: directory.descriptor)
    #expect(try disk.extendedAttributes(of: directory.descriptor) == ["user.of a directory": [3]])
    #expect(reason { try disk.setExtendedAttribute("nonsense", [], of: file) } == .notSupported)
  }
}
