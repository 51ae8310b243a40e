import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage
import TestSupport
import Testing

/// Facts of 1.5: FW6, FW13 for reading.
@Suite("A wrapper read from disk", .temporaryDirectory)
struct FileWrapperReadingTests {
  static let tree: TestTree = [
    "text": "Hello", "Folder": ["inner": "x", "Deeper": ["deepest": "y"]], "link": .link([0x74]),
  ]

  @Test func `FW6: has at every level the name on disk as both its names, and a size`() throws {
    let directory = try scratch.wrapper("Doc", Self.tree)
    func check(_ wrapper: FileWrapper, _ name: String, _ place: String) throws {
      #expect(wrapper.filename == name && wrapper.preferredFilename == name)
      #expect(wrapper.attribute(.size) == UInt(try scratch.status(place).size))
      for (key, child) in wrapper.isDirectory ? try wrapper.children() : [:] {
        try check(child, key, "\(place)/\(key)")
      }
    }
    try check(directory, "Doc", "Doc")
    #expect(directory.fileWrappers?["Folder"]?.fileWrappers?["Deeper"]?.fileWrappers?["deepest"]?.text == "y")
    #expect(directory.fileWrappers?["link"]?.symbolicLinkDestinationURL?.relativePath == "t")
  }

  @Test func `FW6: is refused with code 260 where nothing is`() throws {
    for name in ["missing", "missing/too"] {
      let error = try #require(throws: CocoaError.self) { try FileWrapper(url: scratch.url(name)) }
      #expect(error.code.rawValue == 260 && error.code == .fileReadNoSuchFile)
      #expect((error.userInfo["NSUnderlyingError"] as? FilePackageError)?.code == .noSuchFile)
    }
  }

  @Test func `1.5: is a link where a link is, also one that leads nowhere`() throws {
    try scratch.make("Doc", ["x": "1"])
    try scratch.make("toDoc", .link(Array("Doc".utf8)))
    try scratch.make("dangling", .link(Array("no/where".utf8)))
    let link = try FileWrapper(url: scratch.url("toDoc"))
    #expect(link.isSymbolicLink && link.symbolicLinkDestinationURL?.relativePath == "Doc")
    let dangling = try FileWrapper(url: scratch.url("dangling"), options: .immediate)
    #expect(dangling.isSymbolicLink && dangling.symbolicLinkDestinationURL?.relativePath == "no/where")
  }

  @Test func `1.5: is a link for a directory linked into a package, which is not followed`() throws {
    try scratch.make("Outside", ["secret": "1"])
    try scratch.make("Doc", ["in": .link(Array("../Outside".utf8))])
    let directory = try FileWrapper(url: scratch.url("Doc"), options: .immediate)
    #expect(directory.fileWrappers?["in"]?.isSymbolicLink == true)
    // The wrapper does not follow a link either that replaced a directory after reading.
    let other = try scratch.wrapper("Other", ["in": ["secret": "2"]])
    let inner = try #require(other.fileWrappers?["in"])
    try scratch.remove("Other/in")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("Other/in").string, withDestinationPath: "../Outside")
    #expect(inner.fileWrappers == nil)
  }

  @Test(.timeLimit(.minutes(60)))
  func `1.5: is refused, without waiting, for a FIFO and a socket`() throws {
    try #require(mkfifo(scratch.path("fifo").string, 0o600) == 0)
    try makeSocket(scratch.path("socket").string)
    for name in ["fifo", "socket"] {
      let error = try #require(throws: CocoaError.self) {
        try FileWrapper(url: scratch.url(name), options: .immediate)
      }
      #expect(error.code == .fileReadUnknown)
      #expect((error.userInfo["NSUnderlyingError"] as? FilePackageError)?.code == .wrongKind)
      #expect(throws: CocoaError.self) { try FileWrapper(regularFileWithContentsOf: scratch.url(name)) }
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `1.5: leaves FIFOs and sockets in a directory out, and their names taken`() throws {
    try scratch.make("Doc", ["x": "1"])
    try #require(mkfifo(scratch.path("Doc/fifo").string, 0o600) == 0)
    try makeSocket(scratch.path("Doc/socket").string)
    let directory = try FileWrapper(url: scratch.url("Doc"), options: .immediate)
    #expect(directory.fileWrappers.map { Set($0.keys) } == ["x"])
    #expect(try directory.childNames() == ["x"])
    #expect(try directory.childCount() == 1)
    #expect(try directory.child(named: "fifo") == nil)
    #expect(try directory.unsupportedNames().sorted() == ["fifo", "socket"])
    let key = directory.addRegularFile(withContents: Data(), preferredFilename: "fifo")
    #expect(key == "1__#$!@%!#__fifo")
    #expect(try directory.childCount() == 2)
    try directory.write(to: scratch.url("New"), originalContentsURL: scratch.url("Doc"))
    #expect(try scratch.tree("New").entries.keys.sorted() == ["1__#$!@%!#__fifo", "x"])
  }

  @Test func `1.5: reads nothing before it is asked for, and everything at once with immediate`() throws {
    let lazy = try scratch.wrapper("Doc", Self.tree)
    #expect(lazy.materialized == 0)
    let eager = try FileWrapper(url: scratch.url("Doc"), options: [.immediate, .withoutMapping])
    try scratch.remove("Doc")
    #expect(lazy.fileWrappers == nil)
    #expect(eager.fileWrappers?["text"]?.text == "Hello")
    #expect(eager.fileWrappers?["link"]?.symbolicLinkDestinationURL?.relativePath == "t")
    let folder = eager.fileWrappers?["Folder"]
    #expect(folder?.fileWrappers?["Deeper"]?.fileWrappers?["deepest"]?.text == "y")
    #expect(eager.serializedRepresentation != nil)
    try eager.write(to: scratch.url("New"), originalContentsURL: nil)
    #expect(try scratch.tree("New") == Self.tree)
  }

  @Test(arguments: ["rewritten", "replaced", "removed", "made a directory"])
  func `FW13: answers nil once what was not read yet is`(change: String) throws {
    let directory = try scratch.wrapper("Doc", ["x": "old", "l": .link([0x61])])
    let child = try #require(directory.fileWrappers?["x"])
    let link = try #require(directory.fileWrappers?["l"])
    try scratch.remove("Doc/l")
    switch change {
    case "rewritten": try scratch.overwrite("Doc/x", "newer")
    case "replaced":
      try scratch.make("other", "two")
      try scratch.setModified("other", .old)
      #expect(rename(scratch.path("other").string, scratch.path("Doc/x").string) == 0)
    case "removed": try scratch.remove("Doc/x")
    default:
      try scratch.remove("Doc/x")
      try createFolder(at: scratch.path("Doc/x"))
    }
    #expect(child.regularFileContents == nil)
    #expect(link.symbolicLinkDestinationURL == nil)
    #expect(directory.serializedRepresentation == nil)
    let error = #expect(throws: FilePackageError.self) { try child.contents() }
    #expect(throws: FilePackageError.self) { try child.forEachChunk { _ in } }
    switch change {
    case "rewritten", "replaced": #expect(error?.code == .changedOnDisk)
    case "removed": #expect(error?.code == .noSuchFile)
    default: #expect(error?.code == .wrongKind)
    }
    #expect(error?.child == "x")
  }

  @Test func `1.5: keeps what was read`() throws {
    let wrapper = try scratch.wrapper("x", "old")
    #expect(wrapper.text == "old")
    try scratch.remove("x")
    #expect(wrapper.text == "old")
    #expect(try wrapper.contents().count == 3)
  }

  @Test func `takes the bytes of another file when they are wanted`() throws {
    try scratch.make("source", .file([1, 2, 3], mode: 0o755))
    try scratch.make("link", .link(Array("source".utf8)))
    let wrapper = try FileWrapper(regularFileWithContentsOf: scratch.url("link"))
    #expect(wrapper.isRegularFile && wrapper.filename == nil && wrapper.preferredFilename == nil)
    #expect(wrapper.regularFileSize == 3)
    #expect(wrapper.attribute(.posixPermissions) == UInt(0o777))
    try wrapper.write(to: scratch.url("copy"), originalContentsURL: nil)
    #expect(try scratch.status("copy").size == 3)
    #expect(try scratch.status("copy").identity.inode != scratch.status("source").identity.inode)
    try scratch.overwrite("source", "other")
    #expect(throws: FilePackageError.self) { try wrapper.contents() }
    #expect(throws: CocoaError.self) { try FileWrapper(regularFileWithContentsOf: scratch.url("missing")) }
  }

  @Test func `notes the status of each child, or throws`() throws {
    let disk = try CrashDisk(.package(["a": "1", "b": "2", "Folder": ["c": "3"]]))
    // Each look at a child fails once.
    var failures = 0
    for number in 0..<20 {
      let faulty = FaultyDisk(disk)
      let tree = try FileWrapper("/Trip.pkg", on: faulty.disk)
      faulty.fail(.operation(.status, from: number), with: .ioError)
      do {
        try tree.noteStatuses()
        if faulty.stopFailing() > 0 {
          Issue.record("\(number): the error of a look was no error of the tree")
        }
      } catch let error as FilePackageError {
        failures += 1
        #expect(error.systemErrorNumber == Errno.ioError.rawValue)
        #expect(faulty.stopFailing() > 0)
      }
    }
    #expect(failures > 2)
  }
}

/// Leaves a socket at a path, as a listening program would.
func makeSocket(_ path: String) throws {
  let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(number) }
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(100)) }
  let result = withUnsafeBytes(of: &address) { bytes in
    bytes.baseAddress.map { bind(number, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) }
  }
  guard result == 0 else { throw Errno(rawValue: errno) }
}
