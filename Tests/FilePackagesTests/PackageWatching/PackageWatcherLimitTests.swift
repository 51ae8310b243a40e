import Dispatch
import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage
import TestSupport
import Testing

@Suite("The limits of watching", .tags(.process), .temporaryDirectory)
struct PackageWatcherLimitTests {
  private static func tree(folders: Int) -> TestTree {
    let names = (0..<folders).map { FileName("Folder \($0)") }
    return .directory(Dictionary(uniqueKeysWithValues: names.map { ($0, ["File": "old"]) }))
  }

  @Test func `are said, and what is not watched is looked at from time to time`() async throws {
    try scratch.make("A.pkg", Self.tree(folders: 12))
    // These are enough for the folders above and some of the package's folders.
    let hub = WatchHub(maximumWatches: 8)
    let listener = try await scratch.watch("A.pkg", in: hub)
    let limitation = try #require(listener.watcher.limitation)
    #expect(limitation.code == .watchLimit && limitation.description.contains("max_user_watches"))
    for number in 0..<12 { try scratch.write("new", to: "A.pkg/Folder \(number)/File") }
    try scratch.makeFolder("A.pkg/Folder 3/New/Inner")
    try scratch.write("new", to: "A.pkg/Folder 3/New/Inner/File")
    let expected = Set((0..<12).map { "Folder \($0)/File" } + ["Folder 3/New/Inner/File"])
    try await listener.expect { $0.paths.isSuperset(of: expected) }
    listener.forget()
    try scratch.remove("A.pkg/Folder 7/File")
    try scratch.remove("A.pkg/Folder 11")
    try scratch.write("newer", to: "A.pkg/Folder 3/New/Inner/File")
    try await listener.expect {
      $0.paths.isSuperset(of: ["Folder 7/File", "Folder 11", "Folder 3/New/Inner/File"])
    }
    // With fewer folders, the watches are enough.
    for number in 0..<10 { try scratch.remove("A.pkg/Folder \(number)") }
    try await listener.expect { $0.watcher.limitation == nil }
    await listener.end()
    #expect(await hub.watchCount == 0)
  }

  @Test func `are none where everything is looked at anyway`() async throws {
    try scratch.make("A.pkg", PackageWatcherTests.tree)
    try scratch.make("A.txt", "text")
    var options = PackageWatcher.Options.hasty
    options.polls = true
    // The system reports no event.
    let hub = WatchHub(maximumWatches: 0)
    let listener = try await scratch.watch("A.pkg", options: options, in: hub)
    try scratch.write("new", to: "A.pkg/Images/Deep/2.png")
    try scratch.makeFolder("A.pkg/New/Inner")
    try await listener.expect { $0.paths == ["Images/Deep/2.png", "New", "New/Inner"] }
    try scratch.rename("A.pkg", to: "B.pkg")
    try await listener.expect { $0.watcher.url.path == scratch.text("B.pkg") }
    let flat = try await scratch.watch("A.txt", options: options, in: hub)
    try scratch.overwrite("A.txt", "new text")
    try await flat.expect { $0.events == [.changed([""])] || $0.events == [.replaced] }
    #expect(await hub.watchCount == 0)
    await flat.end()
    await listener.end()
  }

  @Test func `of the system's queue are an overflow, after which everything is watched`() async throws {
    let limit = try String(
      contentsOf: URL(filePath: "/proc/sys/fs/inotify/max_queued_events"), encoding: .utf8)
    let queue = try #require(Int(limit.filter(\.isNumber)))
    try #require(queue <= 100_000, "a queue that takes too long to fill")
    try scratch.make("A.pkg", PackageWatcherTests.tree)
    let hub = WatchHub()
    let listener = try await scratch.watch("A.pkg", in: hub)
    let (closed, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let blocked = Task {
      await hub.block {
        closed.signal()
        gate.wait()
      }
    }
    try await waiting { closed.wait() }
    // The kernel would merge two equal events in a row.
    let (one, other) = (scratch.text("A.pkg/Text.txt"), scratch.text("A.pkg/Other.txt"))
    for _ in 0...(queue / 2) {
      chmod(one, 0o600)
      chmod(other, 0o600)
    }
    try scratch.makeFolder("A.pkg/Unheard/Inner")
    gate.signal()
    await blocked.value
    try await listener.expect { $0.events.contains(.overflow) }
    listener.forget()
    try scratch.write("x", to: "A.pkg/Unheard/Inner/File")
    try await listener.expect { $0.paths.contains("Unheard/Inner/File") }
  }

  @Test func `allow 1,000 documents with one descriptor, which goes with the last`() async throws {
    // The descriptor and its watches go with the last document (WH3).
    // The test runs in a process of its own, so that no other test opens descriptors.
    await #expect(processExitsWith: .success) {
      func inotifyDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))?
            .contains("inotify") == true
        }
      }
      func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      }
      try await withScratch { scratch in
        for number in 0..<1_000 { try scratch.makeFolder("\(number).pkg/Images") }
        let before = try openDescriptors()
        var listeners: [WatchListener] = []
        for number in 0..<1_000 {
          let watcher = try await PackageWatcher.watch(scratch.url("\(number).pkg"), options: .hasty)
          listeners.append(WatchListener(watcher))
        }
        #expect(try inotifyDescriptors() == 1)
        // The descriptors are one for inotify, a few for waiting, and an eighth of the limit.
        #expect(try openDescriptors() <= before + 8 + PosixDisk().descriptorLimit / 8)
        for number in 0..<1_000 { try scratch.write("x", to: "\(number).pkg/Images/File") }
        for listener in listeners { try await listener.expect { $0.paths == ["Images/File"] } }
        try scratch.rename("999.pkg", to: "moved.pkg")
        try await listeners[999].expect { $0.watcher.url.path == scratch.text("moved.pkg") }
        for listener in listeners { await listener.end() }
        listeners = []
        try await waitUntil("end of the descriptor") { try inotifyDescriptors() == 0 }
        #expect(try openDescriptors() <= before + 8)
      }
    }
  }

  @Test func `are not reached by watchers that nobody holds any more`() async throws {
    try scratch.make("A.pkg", PackageWatcherTests.tree)
    let hub = WatchHub()
    do {
      let watcher = try await PackageWatcher.watch(scratch.url("A.pkg"), in: hub)
      #expect(await hub.watchCount > 0)
      withExtendedLifetime(watcher) {}
    }
    try await waitUntil("end of the watches") { await hub.watchCount == 0 }
  }
}
