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

  /// - Parameters:
  ///   - clock: the machine's clock.
  ///   - enclosesSmall: whether the content of small documents goes with their versions.
  init(
    _ name: String, in directory: FilePath = folder, _ store: any ObjectStore, address: String = "memory",
    clock: ModelClock? = nil, enclosesSmall: Bool = true
  ) async throws {
    let path = directory.appending(name)
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    container = try await CloudContainer.add(
      ContainerFolder(path), to: store, address: address, deviceName: name, enclosesSmall: enclosesSmall,
      now: { clock?.now ?? Date() })
  }

  /// A machine whose container is open already.
  init(_ container: CloudContainer) { self.container = container }

  /// Makes a store in memory, and a machine in its container.
  static func one(
    _ name: String = "a", clock: ModelClock? = nil, enclosesSmall: Bool = true
  ) async throws -> (MemoryStore, DeviceFixture) {
    let store = MemoryStore(now: { clock?.now ?? Date() })
    return (store, try await DeviceFixture(name, store, clock: clock, enclosesSmall: enclosesSmall))
  }

  /// Makes a store in memory, and two machines, `a` and `b`, in its container.
  static func two(
    clock: ModelClock? = nil, enclosesSmall: Bool = true
  ) async throws -> (MemoryStore, DeviceFixture, DeviceFixture) {
    let (store, a) = try await one(clock: clock, enclosesSmall: enclosesSmall)
    return (store, a, try await DeviceFixture("b", store, clock: clock, enclosesSmall: enclosesSmall))
  }

  /// Makes two machines, `a` and `b`, in one container.
  static func two(_ store: any ObjectStore, clock: ModelClock? = nil, enclosesSmall: Bool = true) async throws
    -> (DeviceFixture, DeviceFixture)
  {
    (
      try await DeviceFixture("a", store, clock: clock, enclosesSmall: enclosesSmall),
      try await DeviceFixture("b", store, clock: clock, enclosesSmall: enclosesSmall)
    )
  }

  /// Brings the last version of a document from this machine to another one.
  func share(_ name: String, with other: DeviceFixture) async throws {
    try await sync()
    try await other.receive(name)
  }

  /// Writes a file, and brings it to another machine.
  func share(_ text: String, as name: String, with other: DeviceFixture) async throws {
    try write(text, to: name)
    try await share(name, with: other)
  }

  /// Syncs, and downloads a document.
  func receive(_ name: String) async throws {
    try await sync()
    try await container.download(itemNamed: name)
  }

  /// Makes a package, and brings it to another machine.
  func share(_ name: String, _ children: [String: String], with other: DeviceFixture) async throws {
    try await makePackage(name, children)
    try await share(name, with: other)
  }

  func write(_ text: String, to name: String) throws {
    try writeFile(Data(text.utf8), to: url.appending(path: name))
  }

  /// Writes a file, and syncs it.
  func upload(_ text: String, to name: String) async throws {
    try write(text, to: name)
    try await sync()
  }

  /// Makes a package, and syncs it.
  func uploadPackage(_ name: String, _ children: [String: String]) async throws {
    try await makePackage(name, children)
    try await sync()
  }

  /// Changes children of a package, and syncs it.
  func upload(_ name: String, _ children: [String: String?]) async throws {
    try await edit(name, children)
    try await sync()
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
    let (store, _) = try await PackageStore.create(tree, at: url.appending(path: name), contentType: .package)
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

/// Expects the texts of files on each machine; one that is nil is not there.
func expectTexts(
  _ texts: [String: String?], on devices: DeviceFixture..., sourceLocation: SourceLocation = #_sourceLocation
) {
  for device in devices {
    for (name, text) in texts {
      #expect(device.text(name) == text, "\(name) at \(device.url.path)", sourceLocation: sourceLocation)
    }
  }
}

/// Syncs machines, one after the other.
func sync(_ devices: DeviceFixture...) async throws {
  for device in devices { try await device.sync() }
}
