import DurableIO
import FilePackages
import SystemPackage
import TestSupport
import Testing

@Suite("A tree whose children move while a save waits to be published")
struct MovesWhileWaitingTests {
  @Test(arguments: LogCrashTests.Kind.allCases)
  func `is saved as it is in memory`(kind: LogCrashTests.Kind) async throws {
    let (disk, store) = try await CrashCheck.store(["Text.txt": "text"], options: kind.options)
    var last = "Text.txt"
    for number in 1...5 {
      try await store.edit([.move(last, "moved-\(number)")])
      last = "moved-\(number)"
      try await store.save(options: .returnsAtCommit)
    }
    try await store.close()
    #expect(Model(of: disk).nodes == ["moved-5": "text"])
  }

  @Test func `takes a child out of a folder that waits under another name`() async throws {
    // The child learns the place to which the save moved its file (T4).
    let (disk, store) = try await CrashCheck.store(["F": ["G": ["a": "a", "b": "b"]]])
    let child = try #require(await store.tree.fileWrappers?["F"]?.fileWrappers?["G"]?.fileWrappers?["a"])
    try await store.save([.move("F", "H")], options: .returnsAtCommit)
    try await store.save([.move("H/G/a", "a")], options: .returnsAtCommit)
    try await store.close()
    #expect(Model(of: disk).nodes == ["H": nil, "H/G": nil, "H/G/b": "b", "a": "a"])
    #expect(child.text == "a")
  }

  @Test(arguments: 0..<8)
  func `is saved as a model is, whatever is done`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<30 {
      let (disk, store) = try await CrashCheck.store([
        "a": "a", "b": "b", "F": ["c": "c", "G": ["d": "d"]], "E": [:],
      ])
      var model = Model(of: disk)
      var done: [String] = []
      do {
        for number in 0..<14 {
          if let edit = model.change(number, using: &generator) {
            done.append("\(edit)")
            try await store.edit([edit])
          }
          switch Int.random(in: 0..<10, using: &generator) {
          case 0..<4: done.append("\(try await store.save(options: .returnsAtCommit))")
          case 4, 5: done.append("\(try await store.save())")
          case 6: try await store.publish()
          default: break
          }
        }
        try await store.saveAndClose()
      } catch {
        Issue.record("\(error)\n\(done.joined(separator: "\n"))")
        return
      }
      try #require(Model(of: disk).nodes == model.nodes, "\(done.joined(separator: "\n"))")
    }
  }
}

/// The expected state of the disk: files with their text and folders, by path.
private struct Model {
  var nodes: [String: String?] = [:]

  init(of disk: CrashDisk) {
    add(disk.tree["Trip.pkg"], "")
  }

  private mutating func add(_ tree: TestTree?, _ prefix: String) {
    guard case .directory(let entries) = tree else { return }
    for (name, entry) in entries where name != ".docpkg" && name != "Metadata.plist" {
      if case .file(let bytes, _) = entry {
        nodes[prefix + name.string] = String(decoding: bytes, as: UTF8.self)
      }
      if case .directory = entry {
        nodes.updateValue(nil, forKey: prefix + name.string)
        add(entry, prefix + name.string + "/")
      }
    }
  }

  private func random(isFolder: Bool, using generator: inout SeededGenerator) -> String? {
    nodes.filter { ($0.value == nil) == isFolder }.keys.sorted().randomElement(using: &generator)
  }

  /// Makes a random change; nil if there is no node for such a change.
  mutating func change(_ number: Int, using generator: inout SeededGenerator) -> Edit? {
    let folder = Bool.random(using: &generator) ? random(isFolder: true, using: &generator) : nil
    let place = folder.map { "\($0)/" } ?? ""
    switch Int.random(in: 0..<8, using: &generator) {
    case 0:
      guard let path = random(isFolder: false, using: &generator) else { return nil }
      nodes.updateValue("text \(number)", forKey: path)
      return .put(path, "text \(number)")
    case 1:
      nodes.updateValue("new \(number)", forKey: "\(place)n\(number)")
      return .put("\(place)n\(number)", "new \(number)")
    case 2:
      guard let path = random(isFolder: Bool.random(using: &generator), using: &generator) else { return nil }
      for key in nodes.keys where key == path || key.hasPrefix(path + "/") { nodes.removeValue(forKey: key) }
      return .remove(path)
    case 3:
      nodes.updateValue(nil, forKey: "\(place)f\(number)")
      return .folder("\(place)f\(number)")
    default:
      guard let path = random(isFolder: Bool.random(using: &generator), using: &generator),
        !"\(place)".hasPrefix(path + "/")
      else { return nil }
      let new = "\(place)m\(number)"
      for key in nodes.keys where key == path || key.hasPrefix(path + "/") {
        if let value = nodes.removeValue(forKey: key) {
          nodes.updateValue(value, forKey: new + key.dropFirst(path.count))
        }
      }
      return .move(path, new)
    }
  }
}
