import CloudContainers
import DurableIO
import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

/// A machine with a container folder.
struct DeviceFixture {
  let container: CloudContainer
  var url: URL { container.url }

  /// - Parameter enclosesSmall: whether the content of small documents goes with their versions.
  init(
    _ name: String, in directory: FilePath, _ store: any ObjectStore, address: String = "memory",
    enclosesSmall: Bool = true
  ) async throws {
    let path = directory.appending(name)
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    container = try await CloudContainer.add(
      ContainerFolder(path), to: store, address: address, deviceName: name, enclosesSmall: enclosesSmall,
      now: { Date() })
  }

  /// Runs a test with two machines, `a` and `b`, in one container.
  static func withTwo(
    _ body: (DeviceFixture, DeviceFixture, MemoryStore) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      try await body(
        DeviceFixture("a", in: directory, store), DeviceFixture("b", in: directory, store), store)
    }
  }

  /// A machine whose container is open already.
  init(_ container: CloudContainer) { self.container = container }

  /// - Parameter clock: the machine's clock.
  init(
    _ name: String, in directory: FilePath, _ store: any ObjectStore, clock: ModelClock,
    enclosesSmall: Bool = true
  ) async throws {
    let path = directory.appending(name)
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    container = try await CloudContainer.add(
      ContainerFolder(path), to: store, address: "memory", deviceName: name, enclosesSmall: enclosesSmall,
      now: { clock.now })
  }

  func write(_ text: String, to name: String) throws {
    let place = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: place)
  }

  func text(_ name: String) -> String? {
    (try? Data(contentsOf: url.appending(path: name))).map { String(decoding: $0, as: UTF8.self) }
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(at: url.appending(path: name)) }

  func rename(_ name: String, to new: String) throws {
    try FileManager.default.moveItem(at: url.appending(path: name), to: url.appending(path: new))
  }

  /// Makes a package with these children.
  func makePackage(_ name: String, _ children: [String: String]) async throws {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    for (path, text) in children.sorted(by: { $0.key < $1.key }) {
      try tree.setDescendant(FileWrapper(regularFileWithContents: Data(text.utf8)), at: path)
    }
    let (store, _) = try await PackageStore.create(
      tree, at: url.appending(path: name), contentType: .package)
    try await store.close()
  }

  /// Changes children of a package by a save; nil removes one.
  func edit(_ name: String, _ children: [String: String?]) async throws {
    let store = try await PackageStore.open(at: url.appending(path: name))
    let tree = await store.tree
    for (path, text) in children.sorted(by: { $0.key < $1.key }) {
      if let text {
        try tree.setDescendant(FileWrapper(regularFileWithContents: Data(text.utf8)), at: path)
      } else {
        try tree.removeDescendant(at: path)
      }
    }
    try await store.save(tree)
    try await store.close()
  }

  @discardableResult
  func sync() async throws -> SyncReport {
    let report = try await container.sync()
    for failure in report.failures { Issue.record("\(failure.name): \(failure.error.map { "\($0)" } ?? "")") }
    return report
  }
}
