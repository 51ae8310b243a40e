import CloudContainers
import DurableIO
import FilePackages
import Foundation
import ObjectStores
import Synchronization
import SystemPackage
import TestSupport

/// The clock of the whole model, in seconds.
final class ModelClock: Sendable {
  private let seconds = Mutex(1_800_000_000.0)
  var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
  func advance(_ by: Double) { seconds.withLock { $0 += by } }
}

/// The drift of a clock, in seconds.
final class Drift: Sendable {
  private let value = Mutex(0.0)
  var seconds: Double {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

/// One device of the model, and all texts that its user wrote.
///
/// Each text is unique. So the model knows which texts a user saw and replaced: only these may be gone in the end.
final class ModelDevice {
  let number: Int
  let path: FilePath
  let link: UnreliableStore
  /// The store as the device sees it: the link, or what it has decrypted.
  private let seen: any ObjectStore
  let now: @Sendable () -> Date
  let rules: LogRules
  let enclosesSmall: Bool
  private(set) var container: CloudContainer
  /// The drift of the device's clock.
  let drift: Drift
  private var texts = 0

  init(
    _ number: Int, in directory: FilePath, _ store: any ObjectStore, _ clock: ModelClock, offset: Double,
    seed: UInt64,
    sabotage: UnreliableStore.Sabotage?, rules: LogRules, enclosesSmall: Bool,
    key: ContainerKey?
  ) async throws {
    self.enclosesSmall = enclosesSmall
    (self.number, self.rules) = (number, rules)
    path = directory.appending("device\(number)")
    let link = UnreliableStore(store, seed: seed, sabotage: sabotage)
    self.link = link
    seen = key.map { EncryptedStore(link, key: $0) } ?? link
    let drift = Drift()
    self.drift = drift
    now = { clock.now.addingTimeInterval(offset + drift.seconds) }
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    container = try await CloudContainer.add(
      ContainerFolder(path), to: store, address: "model", deviceName: "device \(number)", now: now)
    container = try await CloudContainer.open(
      ContainerFolder(path), seen, rules: rules,
      enclosesSmall: enclosesSmall, now: now)
  }

  /// Begins anew, as a process after a crash.
  func restart() async throws {
    link.restart()
    container = try await CloudContainer.open(
      ContainerFolder(path), seen, rules: rules,
      enclosesSmall: enclosesSmall, now: now)
  }

  private func url(_ name: String) -> URL { container.url.appending(path: name) }

  /// The documents that are here, also in folders.
  var documents: [String] { documents(in: container.url, "") }

  private func documents(in folder: URL, _ prefix: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted().flatMap { name in
      name.contains(".")
        ? [prefix + name] : documents(in: folder.appending(path: name), "\(prefix)\(name)/")
    }
  }

  /// The texts of a document that is here, by child.
  func contents(of document: String) -> [String: String] {
    guard isPackage(document) else { return ["": text(document) ?? ""] }
    let children = (try? FileManager.default.subpathsOfDirectory(atPath: url(document).path)) ?? []
    var texts: [String: String] = [:]
    for child in children where !child.hasPrefix(".docpkg") && child != "Metadata.plist" {
      if let text = text("\(document)/\(child)") { texts[child] = text }
    }
    return texts
  }

  /// The texts of the conflict versions of a package that is here.
  func conflicts(of document: String) -> [String] {
    let folder = "\(document)/.docpkg/conflicts"
    let children = (try? FileManager.default.subpathsOfDirectory(atPath: url(folder).path)) ?? []
    return children.compactMap { text("\(folder)/\($0)") }
  }

  func isPackage(_ document: String) -> Bool { document.hasSuffix(".imageNotes") }

  private func text(_ name: String) -> String? {
    (try? Data(contentsOf: url(name))).map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: The user

  private func newText() -> String {
    texts += 1
    return "\(number)-\(texts)"
  }

  /// Writes a new document; returns its texts.
  func create(_ name: String) async throws -> [String] {
    guard !documents.contains(where: { $0.lowercased() == name.lowercased() }) else { return [] }
    let text = newText()
    try makeFolder(of: name)
    guard isPackage(name) else {
      try Data(text.utf8).write(to: url(name))
      return [text]
    }
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    // Both halves of a pair always change together.
    for child in ["left.txt", "right.txt"] { tree.addFileWrapper(named(child, text)) }
    let other = newText()
    tree.addFileWrapper(named("other.txt", other))
    let (store, _) = try await PackageStore.create(tree, at: url(name), contentType: .package)
    try await store.close()
    return [text, other]
  }

  private func named(_ name: String, _ text: String) -> FileWrapper {
    let file = FileWrapper(regularFileWithContents: Data(text.utf8))
    file.preferredFilename = name
    return file
  }

  /// Edits a document; returns the new text and those that it replaced.
  func edit(_ name: String, child choice: Int) async throws -> (new: [String], replaced: [String]) {
    let before = contents(of: name)
    let text = newText()
    guard isPackage(name) else {
      try Data(text.utf8).write(to: url(name))
      return ([text], Array(before.values))
    }
    let children: [String]
    switch choice % 4 {
    case 0, 1: children = ["left.txt", "right.txt"]
    case 2: children = ["other.txt"]
    default: children = ["new\(choice % 3).txt"]
    }
    let store = try await PackageStore.open(at: url(name))
    let tree = await store.tree
    for child in children { try tree.setDescendant(named(child, text), at: child) }
    try await store.save(tree)
    try await store.close()
    return ([text], children.compactMap { before[$0] })
  }

  /// Deletes a document; returns the texts that the user saw in it.
  func delete(_ name: String) throws -> [String] {
    let before = Array(contents(of: name).values) + conflicts(of: name)
    try FileManager.default.removeItem(at: url(name))
    return before
  }

  func rename(_ name: String, to new: String) throws {
    guard !documents.contains(where: { $0.lowercased() == new.lowercased() }) else { return }
    try makeFolder(of: new)
    try FileManager.default.moveItem(at: url(name), to: url(new))
  }

  private func makeFolder(of name: String) throws {
    try createFolder(at: url(name).deletingLastPathComponent())
  }

  /// Resolves the conflicts of a package, if it has some: by one of the versions, or by the present content; returns
  /// the texts that the user saw and did not want.
  func resolve(_ name: String, choice: Int) async throws -> [String] {
    guard isPackage(name) else { return [] }
    let before = Set(contents(of: name).values).union(conflicts(of: name))
    let store = try await PackageStore.open(at: url(name))
    let versions = try await store.conflictVersions()
    if !versions.isEmpty {
      if choice < versions.count {
        try await store.resolveConflicts(store.conflictVersions(), keeping: versions[choice].id)
      } else {
        try await store.removeConflictVersions(store.conflictVersions())
      }
    }
    try await store.close()
    return versions.isEmpty ? [] : Array(before.subtracting(contents(of: name).values))
  }

  /// Moves a document out of the container and, perhaps under another name, into it again.
  func moveOutAndIn(_ name: String, as new: String) async throws {
    let outside = URL(filePath: path.string + "-outside", directoryHint: .isDirectory)
    let last = name.split(separator: "/").last.map(String.init) ?? name
    let place = try await container.moveOut(name, to: outside, as: last)
    _ = try await container.moveIn(place, as: new)
  }

  /// The texts of documents that are outside the container.
  var textsOutside: [String] {
    let folder = path.string + "-outside"
    let files = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    return files.compactMap { try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
  }

  /// Another process with the same folder.
  func anotherProcess() async throws -> CloudContainer {
    try await CloudContainer.open(
      ContainerFolder(path), seen, rules: rules,
      enclosesSmall: enclosesSmall, now: now)
  }

  /// The knowledge of the device, for a failure.
  func describe() async throws -> String {
    let session = container.session
    var lines = ["device \(number): log \(try await session.state.known())"]
    for record in try await session.state.records() {
      let head = try session.head(of: record)
      lines.append(
        "  \(record.id.prefix(6)) '\(record.name)' head \(head?.sequence ?? 0) '\(head?.name ?? "")'"
          + " \(head?.isDeleted == true ? "deleted " : "")base \(record.base != nil)")
    }
    return lines.joined(separator: "\n")
  }

  func loseState() throws {
    for ending in ["", "-wal", "-shm"] {
      let file = url(".docpkg-cloud/state.sqlite\(ending)")
      if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
    }
  }
}
