import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// 1.10: where Apple's wrappers are for one thread at a time, these are for all.
@Suite("A tree that many tasks use at once", .timeLimit(.minutes(2)))
struct FileWrapperThreadTests {
  static let tasks = 8

  /// Every child has one key, and knows it.
  func expectWhole(_ directory: FileWrapper, _ expected: some Collection<FileWrapper>) throws {
    let children = try directory.children()
    #expect(Set(children.values.map(ObjectIdentifier.init)) == Set(expected.map(ObjectIdentifier.init)))
    #expect(children.count == expected.count)
    for (key, child) in children { #expect(directory.keyForChildFileWrapper(child) == key) }
  }

  @Test func `loses no child and gives no key twice`() async throws {
    let directory = FileWrapper(directoryWithFileWrappers: [:])
    let children = await withTaskGroup(of: [(FileWrapper, String)].self) { group in
      for _ in 0..<Self.tasks {
        group.addTask {
          (0..<100).map { number in
            let child = FileWrapper("", named: "x\(number % 10)")
            return (child, directory.addFileWrapper(child))
          }
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(children.map(\.1)).count == Self.tasks * 100)
    try expectWhole(directory, children.map(\.0))
  }

  @Test func `has a child once that all add`() async throws {
    for _ in 0..<100 {
      let (directory, child) = (FileWrapper(directoryWithFileWrappers: [:]), FileWrapper("", named: "x"))
      await withTaskGroup { group in
        for _ in 0..<Self.tasks { group.addTask { directory.addFileWrapper(child) } }
      }
      try expectWhole(directory, [child])
      #expect(try directory.childNames() == ["x"])
    }
  }

  @Test func `never shows or saves a tree without a child that is only renamed`() async throws {
    let child = FileWrapper("kept", named: "name0")
    let folder = FileWrapper(directoryWithFileWrappers: ["": FileWrapper("", named: "other")])
    folder.addFileWrapper(child)
    let top = FileWrapper(directoryWithFileWrappers: ["F": folder])
    await withTaskGroup { group in
      for task in 0..<4 {
        group.addTask {
          for number in 0..<500 { child.preferredFilename = "name\(number % 7)-\(task)" }
        }
      }
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<500 {
            #expect((try? folder.childCount()) == 2)
            #expect(folder.fileWrappers?.values.contains { $0 === child } == true)
            #expect(folder.keyForChildFileWrapper(child) != nil)
          }
        }
        group.addTask {
          for _ in 0..<500 {
            guard case .directory(let changes) = top.snapshot().root.content,
              case .directory(let inner) = changes["F"]?.now?.content
            else {
              Issue.record("the folder is missing")
              return
            }
            #expect(inner.values.count { $0.now?.wrapper === child } == 1)
          }
        }
      }
    }
    try expectWhole(folder, [child] + folder.children().values.filter { $0 !== child })
    #expect(child.preferredFilename == folder.keyForChildFileWrapper(child))
    #expect(child.parentCount == 1)
  }

  @Test func `reads, lists, adds, removes and writes at the same time`() async throws {
    try await withScratch { scratch in
      var entries: [FileName: TestTree] = [:]
      for number in 0..<200 { entries[FileName("f\(number)")] = .file(Array("\(number)".utf8)) }
      try scratch.make("A", ["F": .directory(entries)])
      let top = try FileWrapper(url: scratch.url("A"))
      let failures = await withTaskGroup(of: Int.self) { group in
        for task in 0..<Self.tasks {
          group.addTask {
            var failures = 0
            for number in 0..<200 {
              guard let folder = top.fileWrappers?["F"] else { return 1000 }
              let mine = FileWrapper("", named: "new\(task)")
              folder.addFileWrapper(mine)
              if (try? folder.child(named: "f\(number)"))??.text != "\(number)" { failures += 1 }
              if folder.fileWrappers?.values.contains(where: { $0 === mine }) != true { failures += 1 }
              if number % 50 == 0 {
                do {
                  try top.write(to: scratch.url("B\(task)-\(number)"), originalContentsURL: scratch.url("A"))
                } catch {
                  failures += 1
                }
              }
              folder.removeFileWrapper(mine)
            }
            return failures
          }
        }
        return await group.reduce(0, +)
      }
      #expect(failures == 0)
      #expect(top.fileWrappers?["F"]?.fileWrappers?.count == 200)
      try top.write(to: scratch.url("C"), originalContentsURL: nil)
      #expect(try scratch.tree("C") == scratch.tree("A"))
    }
  }

  @Test func `is read again while others use it`() async throws {
    try await withScratch { scratch in
      try scratch.make("A", ["a": "1", "b": "2", "F": ["c": "3"]])
      let top = try FileWrapper(url: scratch.url("A"))
      await withTaskGroup { group in
        group.addTask {
          for _ in 0..<200 {
            #expect(throws: Never.self) { try top.read(from: scratch.url("A")) }
          }
        }
        for task in 0..<3 {
          group.addTask {
            for _ in 0..<200 {
              #expect((try? top.child(named: "a"))??.text == "1")
              top.addRegularFile(withContents: Data(), preferredFilename: "new\(task)")
              _ = top.serializedRepresentation
            }
          }
        }
      }
      try top.read(from: scratch.url("A"))
      try expectWhole(top, top.children().values)
      #expect(try top.childNames() == ["F", "a", "b"])
    }
  }
}
