import DurableIO
import FilePackages
import Foundation
import TestSupport
import Testing

/// 1.10: Apple's wrappers are for one thread at a time; these are for all threads.
@Suite("A tree that many threads use at once", .timeLimit(.minutes(60)), .temporaryDirectory)
struct FileWrapperThreadTests {
  static let threads = 8

  /// Expects that every child has one key, and knows it.
  func expectWhole(_ directory: FileWrapper, _ expected: some Collection<FileWrapper>) throws {
    let children = try directory.children()
    #expect(Set(children.values.map(ObjectIdentifier.init)) == Set(expected.map(ObjectIdentifier.init)))
    #expect(children.count == expected.count)
    for (key, child) in children { #expect(directory.keyForChildFileWrapper(child) == key) }
  }

  @Test func `loses no child and gives no key twice`() async throws {
    let directory = FileWrapper(directoryWithFileWrappers: [:])
    let children = (0..<800).map { FileWrapper("", named: "x\($0 % 10)") }
    await inThreads(Self.threads) { thread in
      for child in children[(thread * 100)..<(thread * 100 + 100)] {
        let key = directory.addFileWrapper(child)
        if directory.keyForChildFileWrapper(child) != key { return 1 }
      }
      return 0
    }
    try expectWhole(directory, children)
  }

  @Test func `has a child once that all add`() async throws {
    for _ in 0..<50 {
      let (directory, child) = (FileWrapper(directoryWithFileWrappers: [:]), FileWrapper("", named: "x"))
      await inThreads(Self.threads) { _ in directory.addFileWrapper(child) == "x" ? 0 : 1 }
      try expectWhole(directory, [child])
      #expect(child.parentCount == 1)
    }
  }

  @Test func `never shows or saves a tree without a child that is only renamed`() async throws {
    let child = FileWrapper("kept", named: "name0")
    let folder = FileWrapper(directoryWithFileWrappers: ["other": FileWrapper("")])
    folder.addFileWrapper(child)
    let top = FileWrapper(directoryWithFileWrappers: ["F": folder])
    let renames = 4000
    await inThreads(6) { thread in
      var failures = 0
      for number in 0..<renames {
        switch thread {
        case 0, 1: child.preferredFilename = "name\(number % 7)-\(thread)"
        case 2, 3:
          if (try? folder.childCount()) != 2 { failures += 1 }
          if folder.fileWrappers?.values.contains(where: { $0 === child }) != true { failures += 1 }
          if folder.keyForChildFileWrapper(child) == nil { failures += 1 }
        default:
          guard case .directory(let changes) = top.snapshot().root.content,
            case .directory(let inner) = changes["F"]?.now?.content,
            inner.values.count(where: { $0.now?.wrapper === child }) == 1
          else {
            failures += 1
            continue
          }
        }
      }
      return failures
    }
    try expectWhole(folder, [child] + folder.children().values.filter { $0 !== child })
    #expect(child.preferredFilename == folder.keyForChildFileWrapper(child))
    #expect(child.parentCount == 1)
  }

  @Test func `never shows or freezes a tree without a child that is only replaced`() async throws {
    let top = FileWrapper(directoryWithFileWrappers: [:])
    try top.put(Data("0".utf8), named: "name", in: "F")
    await inThreads(4) { thread in
      var failures = 0
      for number in 0..<600 {
        switch thread {
        case 0, 1:
          do {
            if number % 2 == 0 {
              try top.put(Data("\(thread) \(number)".utf8), named: "name", in: "F")
            } else {
              try top.setDescendant(FileWrapper("\(number)"), at: "F/name")
            }
          } catch {
            failures += 1
          }
        case 2: if (try? top.descendant(at: "F/name")) == .some(nil) { failures += 1 }
        default:
          guard case .directory(let changes) = top.snapshot().root.content,
            case .directory(let inner) = changes["F"]?.now?.content,
            inner.count == 1, inner["name"]?.now != nil
          else {
            failures += 1
            continue
          }
        }
      }
      return failures
    }
    #expect(try top.descendant(at: "F")?.childNames() == ["name"])
  }

  @Test func `has each child that all put into a folder that was missing`() async throws {
    for round in 0..<50 {
      let top = FileWrapper(directoryWithFileWrappers: [:])
      await inThreads(Self.threads) { thread in
        (try? top.put(Data(), named: "\(thread)", in: "A/B")) == nil ? 1 : 0
      }
      #expect(try top.descendant(at: "A/B")?.childCount() == Self.threads, "round \(round)")
      #expect(try top.childNames() == ["A"])
    }
  }

  @Test func `reads, lists, adds, removes and writes at the same time`() async throws {
    var entries: [FileName: TestTree] = [:]
    for number in 0..<100 { entries[FileName("f\(number)")] = .file(Array("\(number)".utf8)) }
    // A thread has no values of the task.
    let scratch = scratch
    let top = try scratch.wrapper("A", ["F": .directory(entries)])
    await inThreads(Self.threads) { thread in
      guard let folder = top.fileWrappers?["F"] else { return 1 }
      var failures = 0
      for number in 0..<100 {
        let mine = FileWrapper("", named: "new\(thread)")
        folder.addFileWrapper(mine)
        if (try? folder.child(named: "f\(number)"))??.text != "\(number)" { failures += 1 }
        if folder.fileWrappers?.values.contains(where: { $0 === mine }) != true { failures += 1 }
        if number == 50 {
          do {
            try top.write(to: scratch.url("B\(thread)"), originalContentsURL: scratch.url("A"))
          } catch {
            failures += 1
          }
        }
        folder.removeFileWrapper(mine)
      }
      return failures
    }
    #expect(top.fileWrappers?["F"]?.fileWrappers?.count == 100)
    try top.write(to: scratch.url("C"), originalContentsURL: nil)
    #expect(try scratch.tree("C") == scratch.tree("A"))
  }

  @Test func `is read again while others use it`() async throws {
    // A thread has no values of the task.
    let scratch = scratch
    let top = try scratch.wrapper("A", ["a": "1", "b": "2", "F": ["c": "3"]])
    await inThreads(4) { thread in
      var failures = 0
      for _ in 0..<200 {
        if thread == 0 {
          do { try top.read(from: scratch.url("A")) } catch { failures += 1 }
        } else {
          if (try? top.child(named: "a"))??.text != "1" { failures += 1 }
          top.addRegularFile(withContents: Data(), preferredFilename: "new\(thread)")
          if top.serializedRepresentation == nil { failures += 1 }
        }
      }
      return failures
    }
    try top.read(from: scratch.url("A"))
    try expectWhole(top, top.children().values)
    #expect(try top.childNames() == ["F", "a", "b"])
  }

  /// Runs `body` on threads of its own, more than there are cores, and expects no failure.
  private func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Int) async {
    let failures = await withTaskGroup(of: Int.self) { group in
      for number in 0..<count {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body(number)) }
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(failures == 0)
  }
}
