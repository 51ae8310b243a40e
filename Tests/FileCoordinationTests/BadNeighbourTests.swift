import Documents
import DurableIO
import FoundationEssentials
import Glibc
import SystemPackage
import TestSupport
import Testing

/// Processes that stop, die or lie, and folders of another user.
@Suite("Bad neighbours", .tags(.process), .temporaryDirectory)
struct BadNeighbourTests {
  @Test func `that are stopped hold up what they have, as long as the others want to wait`() async throws {
    // A stopped process holds up only accesses in conflict with its own (C3).
    let place = try Place()
    let (one, two) = (try CoordinatorProcess(place.runtime), try CoordinatorProcess(place.runtime))
    try await one.send("write w \(place.path("flat"))", until: "began")
    try await one.send("present p \(place.path("Trip.pages"))", until: "presents")
    one.signal(SIGSTOP)
    // The items that it writes and presents, and an item that it does not use.
    let error = try await two.send("read a \(place.path("flat")) deadline=300", until: "failed timeout")
    #expect(error.contains("coordinator (process \(one.number) on") && error.contains("since 2"))
    try await two.send("read b \(place.path("Trip.pages")) deadline=300", until: "failed presenterTimeout")
    try await two.send("write c \(place.path("plain/file"))", until: "began")
    try await two.send("release c", until: "ended")
    two.send("read d \(place.path("flat"))")
    one.signal(SIGCONT)
    one.send("release w")
    try await two.expect("d", "began")
    try await two.send("release d", until: "ended")
  }

  @Test func `that are killed hold up nobody, and leave nothing`() async throws {
    // A claim ends with its process (C3), and the next process removes its file (LF2).
    let place = try Place()
    let (one, two) = (try CoordinatorProcess(place.runtime), try CoordinatorProcess(place.runtime))
    let item = place.path("Trip.pages")
    try await one.send("present p \(item) hang", until: "presents")
    try await one.send("write w \(place.path("flat"))", until: "began")
    two.send("read a \(place.path("flat"))")
    two.send("read b \(item)")
    try await one.expect("p", "relinquishes")
    try await place.waitForClaims(2)
    try await one.kill()
    try await two.expect("a", "began")
    try await two.expect("b", "began")
    for id in ["a", "b"] {
      try await two.send("release \(id)", until: "ended")
    }
    try await two.send("read c \(item)", until: "began")
    try await two.send("release c", until: "ended")
    #expect(place.names("claims").isEmpty && place.names("presenters").isEmpty)
  }

  @Test func `that asked and died give presenters their item back`() async throws {
    let place = try Place()
    let (one, two) = (try CoordinatorProcess(place.runtime), try CoordinatorProcess(place.runtime))
    try await one.send("present p \(place.path("Trip.pages"))", until: "presents")
    try await two.send("write w \(place.path("Trip.pages"))", until: "began")
    #expect(!one.says("p", "reacquires"))
    try await two.kill()
    // It may have written.
    try await one.expect("p", "is-changed")
    try await one.expect("p", "reacquires")
  }

  /// Copies the files of a process, with its identifier, as an ended process with the same identifier would leave them.
  @Test func `do not live because somebody has their number`() async throws {
    // A file without a lock counts for nothing, although a process has its identifier (LF1).
    let place = try Place()
    let (one, two) = (try CoordinatorProcess(place.runtime), try CoordinatorProcess(place.runtime))
    one.send("present p \(place.path("Trip.pages")) hang")
    one.send("write w \(place.path("flat"))")
    try await one.expect("p", "presents")
    try await one.expect("w", "began")
    // The same bytes, with the living process's identifier, but without the lock.
    for part in ["claims", "presenters"] {
      let folder = URL(filePath: place.registry.appending(part).string)
      for name in place.names(part) where !name.hasSuffix(".socket") {
        let data = try Data(contentsOf: folder.appending(path: name))
        try data.write(to: folder.appending(path: name.replacing("-", with: "f")))
      }
    }
    one.send("release w")
    one.send("forget p")
    try await one.expect("w", "ended")
    try await one.expect("p", "forgotten")
    for path in ["flat", "Trip.pages"] {
      try await two.send("write \(path) \(place.path(path))", until: "began")
      try await two.send("release \(path)", until: "ended")
    }
    #expect(place.names("claims").isEmpty && place.names("presenters").isEmpty)
  }

  @Test func `a folder that others may look into is not used`() async throws {
    let place = try Place()
    let item = place.path("flat")
    for mode in [0o755, 0o770, 0o701] as [mode_t] {
      mkdir(place.registry.string, 0o700)
      #expect(chmod(place.registry.string, mode) == 0)
      let one = try CoordinatorProcess(place.runtime)
      let error = try await one.send("read r \(item)", until: "failed registry")
      #expect(error.contains("does not belong to this user alone"))
    }
    #expect(rmdir(place.registry.string) == 0)
    // A folder of another user, and a link to a good folder.
    if geteuid() == 0 {
      mkdir(place.registry.string, 0o700)
      #expect(chown(place.registry.string, 65534, 65534) == 0)
      try await CoordinatorProcess(place.runtime).send("read r \(item)", until: "failed registry")
      #expect(rmdir(place.registry.string) == 0)
    }
    #expect(mkdir(place.path("good"), 0o700) == 0)
    #expect(symlink(place.path("good"), place.registry.string) == 0)
    try await CoordinatorProcess(place.runtime).send("read r \(item)", until: "failed registry")
  }

  @Test func `a long path to the folder does not matter`() async throws {
    let place = try Place()
    let runtime = place.folder.appending(String(repeating: "long", count: 60))
    #expect(mkdir(runtime.string, 0o700) == 0)
    let (one, two) = (try CoordinatorProcess(runtime), try CoordinatorProcess(runtime))
    try await one.send("present p \(place.path("Trip.pages"))", until: "presents")
    try await two.send("read r \(place.path("Trip.pages"))", until: "began")
    #expect(one.says("p", "has-saved"))
    try await two.send("release r", until: "ended")
  }

  @Test func `a folder that is removed is made again`() async throws {
    let place = try Place()
    let (one, two) = (try CoordinatorProcess(place.runtime), try CoordinatorProcess(place.runtime))
    try await one.send("present p \(place.path("Trip.pages"))", until: "presents")
    try FileManager.default.removeItem(atPath: place.registry.string)
    // Its next access notices it.
    try await one.send("read x \(place.path("flat"))", until: "began")
    try await one.send("release x", until: "ended")
    try await two.send("read r \(place.path("Trip.pages"))", until: "began")
    #expect(one.says("p", "has-saved"))
    try await two.send("release r", until: "ended")
  }

  @Test func `nonsense on the socket does no harm`() async throws {
    let place = try Place()
    let (one, two) = (try CoordinatorProcess(place.runtime), try CoordinatorProcess(place.runtime))
    try await one.send("present p \(place.path("Trip.pages"))", until: "presents")
    let name = try #require(place.names("presenters").first { $0.hasSuffix(".socket") })
    var random = SeededGenerator(seed: 1)
    let good = Array("filepackages 1\0ask\0read\u{0}0\0p\0me\u{0}1\0host\u{0}1\u{0}".utf8)
    var messages: [[UInt8]] = [
      [0], [1], Array("filepackages 2\0ready\0".utf8), Array("filepackages 1\0ready\0".utf8),
      Array("filepackages 1\0done\0".utf8), good, good + Array("4096\0".utf8),
      good + Array("-1\0".utf8), good + Array("99999999999999999999\0".utf8),
      good + Array("1\u{0}..\u{0}\u{0}\u{0}0\u{0}0\0".utf8),
      good + Array("1\0x\0:\u{0}1:1\u{0}0\u{0}0\0".utf8),
      [UInt8](repeating: 65, count: 150_000), [UInt8](repeating: 0, count: 150_000),
    ]
    for _ in 0..<300 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        bytes.insert(
          UInt8.random(in: 0...255, using: &random), at: Int.random(in: 0...bytes.count, using: &random))
      }
      messages.append(bytes)
    }
    for message in messages {
      try await connect(to: name, in: place).socket.send(message)
    }
    // A connection that sends nothing and stays open.
    let silent = try await connect(to: name, in: place)
    try await two.send("read r \(place.path("Trip.pages"))", until: "began")
    #expect(one.lines("p").filter { $0 == "is-to-save" }.count == 1)
    try await two.send("release r", until: "ended")
    withExtendedLifetime(silent) {}
  }

  private final class Connected: Sendable {
    let socket: LocalSocket

    init(_ name: FileName, in folder: borrowing OwnedDescriptor) throws {
      socket = try LocalSocket.connect(to: name, in: folder)
    }
  }

  /// Connects as soon as the queue of connections has room.
  private func connect(to name: String, in place: Place) async throws -> Connected {
    let folder = try PosixDisk().openDirectory(at: place.registry.appending("presenters"))
    while true {
      if let connected = try? Connected(FileName(name), in: folder) { return connected }
      await Task.yield()
    }
  }

  @Test func `nonsense in the folder does no harm`() async throws {
    let place = try Place()
    let one = try CoordinatorProcess(place.runtime)
    try await one.send("read x \(place.path("flat"))", until: "began")
    try await one.send("release x", until: "ended")
    for part in ["claims", "presenters"] {
      let folder = place.registry.appending(part)
      for (name, text) in [
        ("garbage", "garbage"), ("empty", ""), ("9.9", "x"), (".hidden", "x"), ("a.socket", ""),
      ] {
        try Data(text.utf8).write(to: URL(filePath: folder.appending(name).string))
      }
      #expect(symlink("/etc/passwd", folder.appending("link").string) == 0)
      #expect(mkfifo(folder.appending("fifo").string, 0o600) == 0)
      #expect(mkdir(folder.appending("folder").string, 0o700) == 0)
    }
    one.send("present p \(place.path("Trip.pages"))")
    try await one.send("write y \(place.path("Trip.pages"))", until: "began")
    try await one.send("release y", until: "ended")
    #expect(Set(place.names("claims")).isSubset(of: ["link", "fifo", "folder"]))
  }
}
