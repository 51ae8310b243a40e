import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("The metadata of a saved package")
struct MetadataModelTests {
  private static func check(_ disk: any Disk) async throws -> PackageMetadata {
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    let metadata = try #require(try await store.metadata())
    let summary = try await ContentSummary(reading: store.tree.snapshot())
    #expect(metadata.contentDigest == summary.digest.hexadecimal)
    #expect(metadata.fileCount == summary.fileCount)
    #expect(metadata.size == summary.byteCount)
    return metadata
  }

  /// Makes a random edit of a document, and the same edit of its model, which maps paths to texts.
  private static func edit(
    _ model: inout [String: String?], _ number: Int, _ generator: inout SeededGenerator
  ) -> Edit? {
    let folders = [""] + model.filter { $0.value == nil }.keys.sorted()
    let files = model.filter { $0.value != nil }.keys.sorted()
    func inside(_ folder: String, _ name: String) -> String { folder.isEmpty ? name : "\(folder)/\(name)" }
    let folder = folders.randomElement(using: &generator) ?? ""
    let file = files.randomElement(using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0, 1:
      let path = inside(folder, "f\(number)")
      model[path] = .some("bytes \(number)")
      return .put(path, "bytes \(number)")
    case 2, 3:
      guard let file else { return nil }
      model[file] = .some("changed \(number)")
      return .put(file, "changed \(number)")
    case 4:
      guard let file else { return nil }
      model[file] = nil
      return .remove(file)
    case 5:
      guard let file, let text = model[file] else { return nil }
      let path = inside(folder, "m\(number)")
      model[file] = nil
      model[path] = text
      return .move(file, path)
    case 6:
      guard folder.split(separator: "/").count < 4 else { return nil }
      let path = inside(folder, "d\(number)")
      model[path] = .some(nil)
      return .folder(path)
    case 7:
      guard !folder.isEmpty else { return nil }
      // The edit moves a whole folder to the top, or removes it.
      let isRemoved = number % 3 == 0
      for (path, text) in model where path == folder || path.hasPrefix(folder + "/") {
        model[path] = nil
        if !isRemoved { model["r\(number)" + path.dropFirst(folder.count)] = text }
      }
      return isRemoved ? .remove(folder) : .move(folder, "r\(number)")
    case 8:
      let path = inside(folder, "l\(number)")
      model[path] = .some("-> f\(number)")
      return .link(path, to: "f\(number)")
    default:
      guard let file, model[file]??.hasPrefix("->") == false else { return nil }
      return .mode(file, number % 2 == 0 ? 0o755 : 0o644)
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `is what the files amount to after any edits`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let disk = try await CrashCheck.disk(["f": "first"], metadata: true)
    var store = try await PackageStore.open(CrashCheck.path, on: disk)
    var model: [String: String?] = ["f": .some("first")]
    var generation = 1
    for number in 0..<100 {
      var isEdited = false
      for part in 0..<Int.random(in: 1...3, using: &generator) {
        guard let edit = Self.edit(&model, number * 10 + part, &generator) else { continue }
        try await store.edit([edit])
        isEdited = true
      }
      guard isEdited else { continue }
      let report = try await store.save()
      if report.strategy != .none { generation += 1 }
      let metadata = try await Self.check(disk)
      #expect(metadata.generation == generation)
      #expect(try await store.metadata() == metadata)
      // The tree reads from the present places of the files.
      try await store.readEverything()
      let found = try PackagePicture(of: CrashCheck.path, on: disk).natural.entries
        .filter { $0.key != "." && $0.key != "Metadata.plist" }
        .mapValues { entry -> String? in
          let text = String(decoding: entry.bytes, as: UTF8.self)
          return entry.kind == .directory ? nil : entry.kind == .symbolicLink ? "-> \(text)" : text
        }
      try #require(found == model, "after edit \(number) of seed \(seed)")
      if number % 7 == 0 {
        if number % 2 == 0 { try await store.close() }
        store = try await PackageStore.open(CrashCheck.path, on: disk)
      }
    }
    #expect(generation > 60)
  }

  @Test func `advances with every save and keeps what it does not know`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "text"], metadata: true)
    let first = try await Self.check(disk)
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.put(
      "Metadata.plist",
      Self.plist("<key>DisplayName</key><string>Trip</string><key>X</key><array><integer>7</integer></array>")
    )
    try await store.save()
    let second = try await Self.check(disk)
    #expect(second.displayName == "Trip")
    #expect(second.applicationValues["X"] == .array([.integer(7)]))
    #expect(second.identifier == first.identifier && second.creationDate == first.creationDate)
    #expect(second.parentRevisions == [first.revision] && second.generation == 2)
    try await store.save("Text.txt", "changed")
    let third = try await Self.check(disk)
    #expect(third.applicationValues == second.applicationValues)
    #expect(third.parentRevisions == [second.revision] && third.revision != second.revision)
    // The tree shows the plist on disk, not the one from the application.
    let seen = try await store.tree.child(named: "Metadata.plist")?.contents()
    #expect(try seen.map { try PackageMetadata(decoding: $0) } == third)
  }

  static func plist(_ content: String) -> String {
    #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>\#(content)</dict></plist>"#
  }

  @Test func `is a typed error when it is damaged, and nothing is changed`() async throws {
    let good = try await CrashCheck.disk(["Text.txt": "text"], metadata: true)
    let bytes = try good.contents(of: "Metadata.plist", in: good.openDirectory(at: CrashCheck.path))
    let lengths = 0..<bytes.count - 10
    for length in lengths {
      #expect(throws: PackageMetadata.Problem.self) {
        try PackageMetadata(decoding: Data(bytes.prefix(length)))
      }
    }
    var damaged: [([UInt8], FilePackageError.Code)] = stride(from: 0, to: lengths.count, by: 37).map {
      (Array(bytes.prefix($0)), .metadataDamaged)
    }
    for (version, code) in [(99, .newerFormat), (1, .unsupported)] as [(Int, FilePackageError.Code)] {
      let other = String(decoding: bytes, as: UTF8.self).replacing(
        "<key>FormatVersion</key>\n\t<integer>2<", with: "<key>FormatVersion</key>\n\t<integer>\(version)<")
      damaged.append((Array(other.utf8), code))
    }
    damaged.append((bytes + [UInt8](repeating: 32, count: PackageMetadata.maximumSize), .metadataDamaged))
    for (bytes, code) in damaged {
      let disk = try CrashDisk(.package(["Text.txt": "text", "Metadata.plist": .file(bytes)]))
      let store = try await PackageStore.open(CrashCheck.path, on: disk)
      let onReading = await #expect(throws: FilePackageError.self) { try await store.metadata() }
      try await store.put("Text.txt", "changed")
      let before = disk.tree
      let onSaving = await #expect(throws: FilePackageError.self) { try await store.save() }
      #expect(onSaving?.code == code && onSaving?.operation == .save, "\(bytes.count) bytes")
      #expect(onReading?.code == code && onReading?.operation == .open, "\(bytes.count) bytes")
      #expect(disk.tree == before)
    }
  }

  @Test func `is refused as a binary property list, which is left to another program`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "text"], metadata: true)
    let root = try disk.openDirectory(at: CrashCheck.path)
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let values = try PackageMetadata(decoding: Data(disk.contents(of: "Metadata.plist", in: root)))
      .propertyList
    let binary = [UInt8](try encoder.encode(values))
    try disk.removeFile("Metadata.plist", in: root)
    try disk.makeFile("Metadata.plist", binary, in: root)
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.put("Text.txt", "changed")
    let error = await #expect(throws: FilePackageError.self) { try await store.save() }
    #expect(error?.code == .metadataDamaged && error?.description.contains("plutil") == true)

    let theirs = try CrashDisk(.package(["Text.txt": "text", "Metadata.plist": .file(binary)]))
    let other = try await PackageStore.open(CrashCheck.path, on: theirs)
    #expect(try await other.save("Text.txt", "changed").generation == nil)
    #expect(
      try theirs.contents(of: "Metadata.plist", in: theirs.openDirectory(at: CrashCheck.path)) == binary)
  }

  @Test func `is not added to a package that has none, and the hidden folder is reserved`() async throws {
    let (disk, store) = try await CrashCheck.store(["Text.txt": "text"], metadata: false)
    #expect(try await store.save("Text.txt", "changed").generation == nil)
    try await store.close()
    #expect(try disk.names(in: CrashCheck.path) == ["Text.txt"])
    try await store.put(".docpkg", "mine")
    let error = await #expect(throws: FilePackageError.self) { try await store.save() }
    #expect(error?.code == .reservedName && error?.child == ".docpkg")
    let hidden = FileWrapper(directoryWithFileWrappers: [
      ".docpkg": FileWrapper(regularFileWithContents: Data())
    ])
    await expect(\FilePackageError.code, .reservedName) {
      try await PackageStore.create(hidden, "/New.pkg", contentType: nil, on: disk)
    }
    #expect(try disk.names(in: "/") == ["Trip.pkg"])
  }
}
