import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("A power cut leaves of what is written in place", .tags(.crash))
struct PowerCutInPlaceTests {
  private final class SaveFixture {
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
    let fixture = try SaveFixture("old")
    try fixture.write("newer")
    try fixture.disk.setMode(0o600, of: fixture.file)
    try fixture.disk.synchronizeData(fixture.file)
    let newer = Array("newer".utf8)
    #expect(
      Set(fixture.disk.crashStates().map(\.tree)) == [["f": "newer"], ["f": .file(newer, mode: 0o600)]])
    try fixture.disk.synchronize(fixture.file)
    #expect(fixture.disk.crashStates().map(\.tree) == [["f": .file(newer, mode: 0o600)]])
  }

  @Test func `data that was synchronised, and of what came after it any part`() throws {
    let fixture = try SaveFixture("0123456789")
    try fixture.write("abcd")
    try fixture.disk.synchronizeData(fixture.file)
    try fixture.write("ABCD", at: 6)
    fixture.expect(["abcd45ABCD", "abcd456789", "abcd45AB89", "abcd4567CD"])
    try fixture.disk.synchronizeData(fixture.file)
    fixture.expect(["abcd45ABCD"])
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
    let fixture = try SaveFixture("old!") { $0.isOfData ? .leftOut : nil }
    try fixture.write("new!")
    try fixture.disk.synchronizeData(fixture.file)
    fixture.expect(["new!", "old!", "ned!", "olw!"])
    try fixture.disk.synchronize(fixture.file)
    fixture.expect(["new!"])
    #expect(
      fixture.disk.syncPoints.map(\.description) == [
        "synchronisation 0 of the data of a file, /f", "synchronisation 1 of a file, /f",
      ])
    #expect(fixture.disk.syncPoints.map(\.isOfData) == [true, false])
  }

  @Test func `whatever it likes, when writing was only started`() throws {
    let fixture = try SaveFixture("old!")
    try fixture.write("new!")
    try fixture.disk.startWriting(fixture.file)
    fixture.expect(["new!", "old!", "ned!", "olw!"])
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
    let shorter = try SaveFixture("0123456789")
    try shorter.disk.resize(shorter.file, to: 4)
    shorter.expect(["0123456789", "0123"])
    try shorter.disk.synchronizeData(shorter.file)
    shorter.expect(["0123"])

    let longer = try SaveFixture("01")
    try longer.disk.resize(longer.file, to: 4)
    longer.expect(["01", "01\0\0"])
    try longer.disk.synchronize(longer.file)
    longer.expect(["01\0\0"])
  }

  @Test func `what was cut off, beneath what was written afterwards`() throws {
    let fixture = try SaveFixture("0123456789")
    try fixture.disk.resize(fixture.file, to: 0)
    try fixture.write("abcd")
    fixture.expect([
      "abcd", "0123456789", "", "\0\0\0\0", "ab", "\0\0cd",
      // The bytes are written, but the size is not durable.
      "abcd456789",
    ])
    try fixture.disk.synchronizeData(fixture.file)
    fixture.expect(["abcd"])
  }

  @Test func `what was written and then cut off`() throws {
    let fixture = try SaveFixture("old")
    try fixture.write("abcdef", at: 3)
    try fixture.disk.resize(fixture.file, to: 3)
    fixture.expect(["old", "oldabcdef"])
    try fixture.disk.synchronize(fixture.file)
    fixture.expect(["old"])
  }

  @Test func `of a file cut and made longer again, the old end, none, or zeros`() throws {
    let fixture = try SaveFixture("0123456789")
    try fixture.disk.resize(fixture.file, to: 4)
    try fixture.disk.resize(fixture.file, to: 6)
    fixture.expect(["0123456789", "0123", "0123\0\0"])
  }

  @Test func `nothing new, when the size was what it is`() throws {
    let fixture = try SaveFixture("0123")
    try fixture.disk.resize(fixture.file, to: 4)
    fixture.expect(["0123"])
  }

  // MARK: Beside the bytes

  @Test func `the time at which a file was made`() throws {
    let fixture = try SaveFixture("old")
    let born = try fixture.disk.status(of: fixture.file).born
    #expect(born != nil)
    try fixture.write("new")
    try fixture.disk.setMode(0o600, of: fixture.file)
    for state in fixture.disk.crashStates() {
      let mounted = state.mount()
      #expect(try mounted.status(of: "f", in: mounted.openDirectory(at: "/")).born == born)
    }
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
