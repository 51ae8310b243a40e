import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("The place of a watched document", .temporaryDirectory)
struct PackageWatcherPlaceTests {
  private static let tree = PackageWatcherTests.tree

  private static func url(_ listener: WatchListener) -> String? {
    for case .moved(let url) in listener.events.reversed() { return url.path }
    return nil
  }

  /// Expects a move to that path and no other event, and that the watcher still watches the document.
  private static func expectMoved(_ listener: WatchListener, to path: String) async throws {
    try await listener.expect { url($0) == path }
    #expect(listener.others.count == 1)
    #expect(listener.watcher.url.path == path)
    #expect(try await listener.all(in: path) == [])
  }

  @Test(arguments: [0, 8])
  func `is followed when it is renamed`(anchors: Int) async throws {
    try scratch.make("A.pkg", Self.tree)
    let listener = try await scratch.watch("A.pkg", in: WatchHub(maximumAnchors: anchors))
    try scratch.rename("A.pkg", to: "B.pkg")
    try await Self.expectMoved(listener, to: scratch.text("B.pkg"))
    listener.forget()
    try scratch.rename("B.pkg", to: "C.pkg")
    try await Self.expectMoved(listener, to: scratch.text("C.pkg"))
  }

  @Test func `is followed to another folder, and when a folder above moves`() async throws {
    try scratch.makeFolder("one/inner")
    try scratch.makeFolder("two")
    try scratch.make("A.pkg", Self.tree)
    try scratch.rename("A.pkg", to: "one/inner/A.pkg")
    let listener = try await scratch.watch("one/inner/A.pkg")
    try scratch.rename("one", to: "two/three")
    try await Self.expectMoved(listener, to: scratch.text("two/three/inner/A.pkg"))
    listener.forget()
    try scratch.rename("two/three/inner/A.pkg", to: "A.pkg")
    try await Self.expectMoved(listener, to: scratch.text("A.pkg"))
  }

  @Test func `is told with what happened on the way`() async throws {
    try scratch.make("A.pkg", Self.tree)
    let listener = try await scratch.watch("A.pkg")
    try scratch.rename("A.pkg", to: "B.pkg")
    try scratch.makeFolder("B.pkg/New/Inner")
    try scratch.write("x", to: "B.pkg/New/Inner/File")
    try await listener.expect { $0.paths.contains("New/Inner/File") || $0.events.contains(.overflow) }
    #expect(Self.url(listener) == scratch.text("B.pkg"))
    #expect(!listener.events.contains(.deleted))
  }

  @Test func `counts as empty when nobody can know where it went`() async throws {
    try scratch.makeFolder("elsewhere")
    try scratch.make("A.pkg", Self.tree)
    let listener = try await scratch.watch("A.pkg", in: WatchHub(maximumAnchors: 0))
    try scratch.rename("A.pkg", to: "elsewhere/A.pkg")
    try await listener.expect { $0.events == [.deleted] }
    // It comes back as an unknown package.
    try scratch.rename("elsewhere/A.pkg", to: "A.pkg")
    try await listener.expect { $0.events == [.deleted, .replaced] }
  }

  @Test func `is taken by another package at once`() async throws {
    try scratch.make("A.pkg", Self.tree)
    try scratch.make("New.pkg", ["Text.txt": "new", "Images": ["9.png": "nine"]])
    let listener = try await scratch.watch("A.pkg")
    try scratch.exchange("A.pkg", "New.pkg")
    try await listener.expect { $0.events == [.replaced] }
    listener.forget()
    // The earlier package is not the document any more.
    try scratch.write("x", to: "New.pkg/Images/1.png")
    try scratch.write("x", to: "A.pkg/Images/9.png")
    #expect(try await listener.all(in: scratch.text("A.pkg")) == ["Images/9.png"])
    try scratch.remove("New.pkg")
    #expect(try await listener.all(before: "Second", in: scratch.text("A.pkg")).contains("Marker"))
    #expect(listener.others == [])
  }

  @Test func `is taken by another package in two steps`() async throws {
    try scratch.make("A.pkg", Self.tree)
    try scratch.make("New.pkg", ["Text.txt": "new"])
    let listener = try await scratch.watch("A.pkg", options: with(.hasty) { $0.absence = .seconds(20) })
    try scratch.rename("A.pkg", to: "A.pkg~")
    try scratch.rename("New.pkg", to: "A.pkg")
    try await listener.expect { $0.others == [.replaced] }
  }

  @Test func `is empty and taken again`() async throws {
    try scratch.make("A.pkg", Self.tree)
    let listener = try await scratch.watch("A.pkg")
    for _ in 0..<3 {
      listener.forget()
      try scratch.remove("A.pkg")
      try await listener.expect { $0.others == [.deleted] }
      try scratch.make("A.pkg", Self.tree)
      try await listener.expect { $0.others == [.deleted, .replaced] }
      listener.forget()
      #expect(try await listener.all(in: scratch.text("A.pkg")).subtracting(["Text.txt"]).count < 6)
    }
    // It is removed and made again at once, perhaps with the same number.
    listener.forget()
    try scratch.remove("A.pkg")
    try scratch.make("A.pkg", ["Text.txt": "again"])
    try await listener.expect { $0.others.last == .replaced }
  }

  @Test func `is found again when the folders above were removed, too`() async throws {
    try scratch.makeFolder("one/inner")
    try scratch.make("A.pkg", Self.tree)
    try scratch.rename("A.pkg", to: "one/inner/A.pkg")
    let listener = try await scratch.watch("one/inner/A.pkg")
    try scratch.remove("one")
    try await listener.expect { $0.others == [.deleted] }
    try scratch.makeFolder("one/inner/A.pkg/Folder")
    try await listener.expect { $0.others.last == .replaced }
    try await listener.expect { _ in
      (try? scratch.write("x", to: "one/inner/A.pkg/Folder/\(UInt32.random(in: 0...UInt32.max))")) != nil
        && listener.paths.contains { $0.hasPrefix("Folder/") }
    }
  }

  // MARK: Flat files

  @Test func `of a flat file is taken by what other programs save`() async throws {
    try scratch.make("A.txt", "text")
    let listener = try await scratch.watch("A.txt")
    // The program writes in place.
    let file = open(scratch.text("A.txt"), O_WRONLY)
    #expect(write(file, "TEXT", 4) == 4 && close(file) == 0)
    try await listener.expect { $0.events == [.changed([""])] }
    listener.forget()
    // The program replaces the file by a rename, as most do.
    try scratch.make("New.txt", "new")
    try scratch.rename("New.txt", to: "A.txt")
    try await listener.expect { $0.events == [.replaced] }
    listener.forget()
    try scratch.rename("A.txt", to: "B.txt")
    try await listener.expect { Self.url($0) == scratch.text("B.txt") }
    listener.forget()
    #expect(truncate(scratch.text("B.txt"), 1) == 0)
    try await listener.expect { $0.events == [.changed([""])] }
    listener.forget()
    // Other files in the same folder are not part of the document.
    try scratch.make("Other.txt", "x")
    try scratch.remove("B.txt")
    try await listener.expect { $0.events == [.deleted] }
    try scratch.make("B.txt", "again")
    try await listener.expect { $0.others == [.deleted, .replaced] }
  }
}
