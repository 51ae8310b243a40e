import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

@Suite("Names that share a hash")
struct CollidingNamesTests {
  /// Both have the FNV-1a of 64 bits 0x4EAC0C95540867E4.
  static let names = ["8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"]

  @Test(arguments: 0..<2)
  func `each have a noted row`(number: Int) async throws {
    let tree: TestTree = .directory([FileName(Self.names[0]): "first", FileName(Self.names[1]): "second"])
    let disk = try await CrashCheck.disk(tree, metadata: true)
    try disk.edit(Self.names[number], "theirs")
    let report = try await PackageStore.open(CrashCheck.path, on: disk).verify()
    #expect(report.changed == [Self.names[number]] && report.extra == [] && report.missing == [])
  }

  @Test func `are saved and removed apart from each other`() async throws {
    let (disk, store) = try await CrashCheck.store(["Text.txt": "text"])
    for edit in [
      Edit.put(Self.names[0], "first"), .put(Self.names[1], "second"), .put(Self.names[0], "third"),
      .remove(Self.names[0]), .put(Self.names[0], "fourth"), .remove(Self.names[1]),
    ] {
      try await store.save([edit], options: .keepsHistory)
      try await store.close()
      #expect(try await store.verify().isWhole, "\(edit)")
      let oldest = try #require(try await store.versions().last).persistentIdentifier
      #expect(try await store.contents(of: oldest).lost == [])
    }
    try disk.edit(Self.names[0], "theirs")
    #expect(try await store.verify().changed == [Self.names[0]])
  }

  @Test func `are no other than thousands of others that come, change and go`() async throws {
    let disk = try await CrashCheck.disk([:], metadata: true)
    var store = try await PackageStore.open(CrashCheck.path, on: disk)
    var generator = SeededGenerator(seed: 4)
    var texts: [String: String] = [:]
    for round in 0..<12 {
      for number in 0..<300 {
        let name = "\(Int.random(in: 0..<900, using: &generator))"
        if texts[name] != nil, number % 3 == 0 {
          texts[name] = nil
          try await store.edit([.remove(name)])
        } else {
          texts[name] = "\(round) \(number)"
          try await store.put(name, "\(round) \(number)")
        }
      }
      try await store.save()
      if round % 3 == 2 {
        try await store.close()
        store = try await PackageStore.open(CrashCheck.path, on: disk)
      }
    }
    try await store.close()
    let victims = texts.keys.sorted().prefix(5)
    for name in victims { try disk.edit(name, "theirs!") }
    let report = try await store.verify()
    #expect(report.changed == Array(victims).sorted { FileName($0) < FileName($1) })
    #expect(report.damaged == [] && report.extra == [] && report.missing == [])
  }
}
