import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("A power cut leaves of what is written in place")
struct PowerCutInPlaceTests {
  private final class Scene {
    let disk: CrashDisk
    let root: OwnedDescriptor
    let file: OwnedDescriptor

    /// A disk with one file, "f", that is open for writing.
    init(
      _ bytes: String, mistake: @escaping @Sendable (CrashDisk.SyncPoint) -> CrashDisk.Mistake? = { _ in nil }
    ) throws {
      disk = try CrashDisk(["f": .file(Array(bytes.utf8))], mistake: mistake)
      root = try disk.openDirectory(at: "/")
      file = try disk.openFileForWriting("f", in: root)
    }

    func write(_ bytes: String, at offset: UInt64 = 0) throws {
      try disk.writeAll(Array(bytes.utf8), to: file, at: offset)
    }

    /// The contents that a power cut may leave in the file, each as often as a state has it.
    var contents: [String] {
      disk.crashStates().map { state in
        guard case .file(let bytes, _) = state.tree["f"] else { return "nothing" }
        return String(decoding: bytes, as: UTF8.self)
      }
    }

    func expect(_ expected: Set<String>, sourceLocation: SourceLocation = #_sourceLocation) {
      let contents = contents
      #expect(Set(contents) == expected, sourceLocation: sourceLocation)
      #expect(contents.count == expected.count, "a state came twice", sourceLocation: sourceLocation)
    }
  }

  // MARK: Data

  @Test func `all bytes once their data was synchronised, and the attributes old or new`() throws {
    let scene = try Scene("old")
    try scene.write("newer")
    try scene.disk.setMode(0o600, of: scene.file)
    try scene.disk.synchronizeData(scene.file)
    let newer = Array("newer".utf8)
    #expect(
      Set(scene.disk.crashStates().map(\.tree)) == [["f": "newer"], ["f": .file(newer, mode: 0o600)]])
    try scene.disk.synchronize(scene.file)
    #expect(scene.disk.crashStates().map(\.tree) == [["f": .file(newer, mode: 0o600)]])
  }

  @Test func `data that was synchronised, and of what came after it any part`() throws {
    let scene = try Scene("0123456789")
    try scene.write("abcd")
    try scene.disk.synchronizeData(scene.file)
    try scene.write("ABCD", at: 6)
    scene.expect(["abcd45ABCD", "abcd456789", "abcd45AB89", "abcd4567CD"])
    try scene.disk.synchronizeData(scene.file)
    scene.expect(["abcd45ABCD"])
  }

  @Test func `no name of a new file whose data was synchronised`() throws {
    let disk = try CrashDisk()
    let root = try disk.openDirectory(at: "/")
    let file = try disk.createFile("f", in: root, mode: 0o644)
    try disk.writeAll([1, 2, 3, 4], to: file)
    try disk.synchronizeData(file)
    #expect(Set(disk.crashStates().map(\.tree)) == [[:], ["f": .file([1, 2, 3, 4])]])
    // The data of a directory are its entries.
    try disk.synchronizeData(root)
    #expect(disk.crashStates().map(\.tree) == [["f": .file([1, 2, 3, 4])]])
  }

  @Test func `whatever it likes, when a synchronisation of data was left out`() throws {
    let scene = try Scene("old!") { $0.isOfData ? .leftOut : nil }
    try scene.write("new!")
    try scene.disk.synchronizeData(scene.file)
    scene.expect(["new!", "old!", "ned!", "olw!"])
    try scene.disk.synchronize(scene.file)
    scene.expect(["new!"])
    #expect(
      scene.disk.syncPoints.map(\.description) == [
        "synchronisation 0 of the data of a file, /f", "synchronisation 1 of a file, /f",
      ])
    #expect(scene.disk.syncPoints.map(\.isOfData) == [true, false])
  }

  @Test func `whatever it likes, when writing was only started`() throws {
    let scene = try Scene("old!")
    try scene.write("new!")
    try scene.disk.startWriting(scene.file)
    scene.expect(["new!", "old!", "ned!", "olw!"])
  }

  @Test func `a moment before each synchronisation of data and none before what changes nothing`()
    async throws
  {
    let disk = try CrashDisk(["f": "0123"])
    let points = try await CrashDisk.crashPoints(of: disk) {
      let file = try disk.openFileForWriting("f", in: disk.openDirectory(at: "/"))
      _ = try disk.lock(file, .shared)
      _ = try disk.lock(byte: 0, of: file, .exclusive)
      try disk.resize(file, to: 2)
      try disk.startWriting(file)
      try disk.synchronizeData(file)
    }
    #expect(
      points.map(\.description) == [
        "power cut 0, before resize", "power cut 1, before synchronizeData", "power cut 2, at the end",
      ])
    #expect(points.map { $0.states().count } == [1, 2, 1])
  }

  // MARK: Sizes

  @Test func `the old size or the new one`() throws {
    let shorter = try Scene("0123456789")
    try shorter.disk.resize(shorter.file, to: 4)
    shorter.expect(["0123456789", "0123"])
    try shorter.disk.synchronizeData(shorter.file)
    shorter.expect(["0123"])

    let longer = try Scene("01")
    try longer.disk.resize(longer.file, to: 4)
    longer.expect(["01", "01\0\0"])
    try longer.disk.synchronize(longer.file)
    longer.expect(["01\0\0"])
  }

  @Test func `what was cut off, beneath what was written afterwards`() throws {
    let scene = try Scene("0123456789")
    try scene.disk.resize(scene.file, to: 0)
    try scene.write("abcd")
    scene.expect([
      "abcd", "0123456789", "", "\0\0\0\0", "ab", "\0\0cd",
      // The bytes are written, but the size is not durable.
      "abcd456789",
    ])
    try scene.disk.synchronizeData(scene.file)
    scene.expect(["abcd"])
  }

  @Test func `what was written and then cut off`() throws {
    let scene = try Scene("old")
    try scene.write("abcdef", at: 3)
    try scene.disk.resize(scene.file, to: 3)
    scene.expect(["old", "oldabcdef"])
    try scene.disk.synchronize(scene.file)
    scene.expect(["old"])
  }

  @Test func `of a file cut and made longer again, the old end, none, or zeros`() throws {
    let scene = try Scene("0123456789")
    try scene.disk.resize(scene.file, to: 4)
    try scene.disk.resize(scene.file, to: 6)
    scene.expect(["0123456789", "0123", "0123\0\0"])
  }

  @Test func `nothing new, when the size was what it is`() throws {
    let scene = try Scene("0123")
    try scene.disk.resize(scene.file, to: 4)
    scene.expect(["0123"])
  }

  // MARK: Beside the bytes

  @Test func `the time at which a file was made`() throws {
    let scene = try Scene("old")
    let born = try scene.disk.status(of: scene.file).born
    #expect(born != nil)
    try scene.write("new")
    try scene.disk.setMode(0o600, of: scene.file)
    for state in scene.disk.crashStates() {
      let mounted = state.mount()
      #expect(try mounted.status(of: "f", in: mounted.openDirectory(at: "/")).born == born)
    }
  }

  @Test func `a file with the number of a lost one, and with a later birth`() throws {
    let disk = try CrashDisk()
    let root = try disk.openDirectory(at: "/")
    try disk.makeFile("lost", [], in: root)
    let lost = try disk.status(of: "lost", in: root)
    let mounted = try #require(disk.crashStates().first { $0.tree == [:] }).mount()
    let newRoot = try mounted.openDirectory(at: "/")
    try mounted.makeFile("new", [], in: newRoot)
    let new = try mounted.status(of: "new", in: newRoot)
    #expect(new.identity.isSameNode(as: lost.identity))
    let (earlier, later) = (try #require(lost.born), try #require(new.born))
    #expect(earlier < later)
  }

  @Test func `no lock, and neither does the end of the program`() async throws {
    let disk = try CrashDisk(["f": "f"])
    let root = try disk.openDirectory(at: "/")
    let file = try disk.openFileForWriting("f", in: root)
    let points = try await CrashDisk.crashPoints(of: disk) {
      let locks = [try disk.lock(byte: 0, of: file, .exclusive), try disk.lock(file, .exclusive)]
      #expect(locks == [true, true])
    }
    let point = try #require(points.last)
    for again in [point.afterKill()] + point.states().map({ $0.mount() }) {
      let file = try again.openFileForWriting("f", in: again.openDirectory(at: "/"))
      let locks = [try again.lock(byte: 0, of: file, .exclusive), try again.lock(file, .exclusive)]
      #expect(locks == [true, true])
    }
  }
}
