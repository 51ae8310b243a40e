import CloudContainers
import Documents
import DurableIO
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport

/// Devices that work on the same documents, apart and together, with everything that goes wrong.
struct ContainerModel {
  struct Sabotage: CustomStringConvertible {
    var store: UnreliableStore.Sabotage?
    /// The rules of the log that the devices keep to.
    var rules = LogRules.all
    /// Whether the devices repair a store that lost objects.
    var repairs = true

    /// Whether the fault loses blobs.
    var concernsBlobs: Bool { store == .dropsABlob || ignoresCollections }

    var ignoresCollections: Bool { !rules.contains(.collections) }

    var description: String {
      if let store { return store.rawValue }
      if !repairs { return "no repair" }
      let names: [(LogRules, String)] = [
        (.chain, "no chain check"), (.names, "no rule of names"), (.pending, "pending entries forgotten"),
        (.collections, "collections ignored"), (.common, "wrong entry after a loss"),
      ]
      return names.first { !rules.contains($0.0) }?.1 ?? "no sabotage"
    }
  }

  let seed: UInt64
  var sabotage = Sabotage()
  /// Whether the store loses single objects at the end of the program; no backup is restored then.
  let losesObjects: Bool
  /// Whether there is one device, which never loses its state. It is never in conflict with itself.
  let isAlone: Bool
  private var generator: SeededGenerator
  private(set) var written: Set<String> = []
  private(set) var replaced: Set<String> = []
  private(set) var problems: [String] = []
  var log: [String] = []

  init(seed: UInt64, sabotage: Sabotage = Sabotage(), losesObjects: Bool = false, isAlone: Bool = false) {
    (self.seed, self.sabotage, self.losesObjects) = (seed, sabotage, losesObjects)
    self.isAlone = isAlone
    generator = SeededGenerator(seed: seed)
  }

  mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  mutating func note(_ problem: String) { problems.append(problem) }

  /// Runs the model in a folder of its own; afterwards, `problems` has each broken promise.
  mutating func run(in directory: FilePath, steps: Int) async throws {
    let clock = ModelClock()
    let store = MemoryStore(now: { clock.now })
    // In every second program the store has encrypted objects.
    let key = seed.isMultiple(of: 2) ? ContainerKey.random() : nil
    // In half of the programs the small documents have their content in their versions.
    // A fault of blobs shows only in documents that have some.
    let enclosesSmall = (seed / 2).isMultiple(of: 2) && !sabotage.concernsBlobs
    var devices: [ModelDevice] = []
    for number in 0..<(isAlone ? 1 : 2 + random(4)) {
      devices.append(
        try await ModelDevice(
          number, in: directory, store, clock, offset: Double(random(172_800) - 86_400),
          seed: generator.next(),
          sabotage: sabotage.store, rules: sabotage.rules, enclosesSmall: enclosesSmall, key: key))
    }
    // In every third program days pass, so that versions expire and garbage goes.
    let isLong = random(3) == 0
    // In every second program a backup of the store is restored.
    let isRolledBack = random(2) == 0 && !losesObjects && !isAlone
    var backup = store.backUp()
    for step in 0..<steps {
      if isRolledBack, random(10) == 0 { backup = store.backUp() }
      if isRolledBack, random(20) == 0 { try await rollBack(store, key, to: backup, devices) }
      clock.advance(Double(random(120)))
      if isLong, random(12) == 0 { clock.advance(Double(random(20 * 86_400))) }
      let device = devices[random(devices.count)]
      device.drift.seconds = Double(random(240) - 120)
      try await self.step(step, device, devices)
    }
    let seen: any ObjectStore = key.map { EncryptedStore(store, key: $0) } ?? store
    if losesObjects {
      do {
        try await loseObjects(of: store, as: seen, devices, clock)
      } catch let error as CloudDataError {
        note("\(error)")
      }
    } else {
      try await syncAll(devices, clock)
      await check(devices, seen)
    }
    if problems.isEmpty { return }
    for device in devices { log.append(try await device.describe()) }
    log += store.keys.map(\.string).filter { !$0.hasPrefix("blobs/") }
  }

  private mutating func step(_ number: Int, _ device: ModelDevice, _ devices: [ModelDevice]) async throws {
    let here = device.documents
    let all = ["a.txt", "b.txt", "p.imageNotes", "q.imageNotes", "A.txt", "f/a.txt", "f/p.imageNotes"]
    let names = isAlone ? ["p.imageNotes"] : all
    // A device that is alone edits one child of one package again and again.
    let choice = isAlone && random(2) == 0 ? 2 : random(28)
    log.append("\(number): device \(device.number), \(choice), \(here)")
    switch choice {
    case 0, 1: written.formUnion(try await device.create(names[random(names.count)]))
    case 2, 3, 4, 5, 6:
      guard !here.isEmpty else { return }
      let edit = try await device.edit(here[random(here.count)], child: isAlone ? 0 : random(12))
      written.formUnion(edit.new)
      replaced.formUnion(edit.replaced)
    case 7:
      guard !here.isEmpty, random(2) == 0 else { return }
      replaced.formUnion(try device.delete(here[random(here.count)]))
    case 8:
      guard !here.isEmpty else { return }
      let name = here[random(here.count)]
      let folder = ["", "", "f/", "g/"][random(4)]
      try device.rename(
        name, to: "\(folder)r\(random(3))" + (device.isPackage(name) ? ".imageNotes" : ".txt"))
    case 9: device.link.isPartitioned.toggle()
    case 10:
      try await tolerant { try await device.link.deliverLate() }
      guard random(6) == 0, !isAlone else { return }
      try device.loseState()
      try await device.restart()
    case 11:
      guard
        let item = try await device.container.items().filter({ $0.downloadingStatus != .notDownloaded }).first
      else { return }
      try await tolerant { try await device.container.evict(itemNamed: item.name) }
    case 12:
      let missing = try await device.container.items().filter { $0.downloadingStatus == .notDownloaded }
      guard !missing.isEmpty else { return }
      let name = missing[random(missing.count)].name
      try await tolerant { try await device.container.download(itemNamed: name) }
    case 13:
      device.link.crash(after: 1 + random(25))
      let items = try await device.container.items().map(\.name)
      let name = items.isEmpty ? "" : items[random(items.count)]
      let operation = items.isEmpty ? 9 : random(10)
      try await tolerant {
        switch operation {
        case 0: try await device.container.download(itemNamed: name)
        case 1: try await device.container.evict(itemNamed: name)
        case 2: try await device.moveOutAndIn(name, as: name)
        default: _ = try await device.container.sync()
        }
      }
      try await device.restart()
    // If collections are ignored, garbage goes during each run of all devices.
    case 14, 15, 26, 27: try await syncAll(devices, collectors: sabotage.ignoresCollections ? devices : [])
    case 17:
      // Several devices have a new document of one name, and commit it at once.
      let name = names[random(names.count)]
      for device in devices { written.formUnion(try await device.create(name)) }
      try await syncAll(devices, collectors: [])
    case 16 where random(3) == 0: try await syncAll(devices, collectors: [device])
    default: try await rareStep(choice, device)
    }
  }

  /// All devices sync at once, while some of them collect garbage.
  private func syncAll(_ devices: [ModelDevice], collectors: [ModelDevice]) async throws {
    let containers = devices.map(\.container)
    let collections = collectors.map(\.container)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for container in containers {
        group.addTask { try await tolerant { _ = try await container.sync() } }
      }
      for collection in collections {
        group.addTask { try await tolerant { _ = try await collection.collectGarbage(isDryRun: false) } }
      }
      try await group.waitForAll()
    }
  }

  private mutating func rareStep(_ choice: Int, _ device: ModelDevice) async throws {
    let here = device.documents
    switch choice {
    case 20:
      for name in here { replaced.formUnion(try await device.resolve(name, choice: random(3))) }
    case 21:
      let deleted = try await device.container.deletedItems()
      guard !deleted.isEmpty else { return }
      let document = deleted[random(deleted.count)].document
      try await tolerant { _ = try await device.container.restore(document) }
    case 22:
      let containers = [device.container, try await device.anotherProcess()]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for container in containers {
          group.addTask { try await tolerant { _ = try await container.sync() } }
        }
        try await group.waitForAll()
      }
    case 23:
      guard !here.isEmpty else { return }
      let name = here[random(here.count)]
      // The user deletes the texts of this moment alone.
      let seen = Array(device.contents(of: name).values) + device.conflicts(of: name)
      try await tolerant { try await device.container.delete(itemNamed: name) }
      if !device.documents.contains(name) { replaced.formUnion(seen) }
    case 24:
      guard !here.isEmpty else { return }
      let name = here[random(here.count)]
      let new = random(2) == 0 ? name : "m\(random(2))" + (device.isPackage(name) ? ".imageNotes" : ".txt")
      try await tolerant { try await device.moveOutAndIn(name, as: new) }
    case 25:
      let missing = try await device.container.items().filter { $0.downloadingStatus == .notDownloaded }
      for item in missing {
        try await tolerant { try await device.container.startDownloading(itemNamed: item.name) }
      }
    default: try await tolerant { _ = try await device.container.sync() }
    }
  }

  /// Brings the store back to an earlier moment. Then documents leave a machine, or garbage goes.
  ///
  /// A text that only the store had is lost with it. All other texts must be there in the end.
  private mutating func rollBack(
    _ store: MemoryStore, _ key: ContainerKey?, to backup: MemoryStore.Backup, _ devices: [ModelDevice]
  ) async throws {
    log.append("the store is rolled back")
    store.restore(backup)
    // A call of that time no longer reaches the store.
    for device in devices { device.link.dropLate() }
    var left: Set<String> = []
    do {
      left = try await texts(in: key.map { EncryptedStore(store, key: $0) } ?? store, ofConflictsOnly: false)
    } catch {
      note("after a backup was restored: \(error)")
    }
    for device in devices {
      left.formUnion(device.textsOutside)
      for document in device.documents {
        left.formUnion(device.contents(of: document).values)
        left.formUnion(device.conflicts(of: document))
      }
    }
    replaced.formUnion(written.subtracting(left))
    let device = devices[random(devices.count)]
    switch random(3) {
    case 0:
      let names = try await device.container.items().map(\.name)
      for name in names { try await tolerant { try await device.container.evict(itemNamed: name) } }
    case 1: try await tolerant { _ = try await device.container.collectGarbage(isDryRun: false) }
    default: break
    }
  }

  /// Returns the texts of the last versions in a store, and of their conflicts. Every version can be read.
  private func texts(in store: any ObjectStore, ofConflictsOnly: Bool) async throws -> Set<String> {
    let blobs = BlobStore(store)
    var found: Set<String> = []
    for versions in try await StoredLog(store).versions.values {
      for version in versions {
        let isLast = version == versions.last
        // A collection of garbage may have taken the content of an old deletion.
        if version.isDeleted { continue }
        let blobs = blobs.adding(version.blobs)
        var roots = [(root: version.root, counts: !ofConflictsOnly && isLast)]
        if isLast { roots += version.conflicts.map { ($0.root, true) } }
        for (root, counts) in roots {
          for entry in try await DocumentTree(root, blobs).entries() {
            guard case .file(let content) = entry.kind, content.size > 0 else { continue }
            let bytes = try await blobs.get(BlobName(content.hash), child: entry.path.display)
            if counts { found.insert(String(decoding: bytes, as: UTF8.self)) }
          }
        }
      }
    }
    return found
  }

  // MARK: The end

  private mutating func syncAll(_ devices: [ModelDevice], _ clock: ModelClock) async throws {
    for device in devices { try await device.link.heal() }
    for round in 0..<7 {
      // A device may learn only now of a collection of garbage that was cut off. Its uploads wait for the end of that.
      if round < 2 { clock.advance(3_601) }
      for device in devices {
        clock.advance(1)
        do {
          let report = try await device.container.sync()
          if round == 6 {
            for failure in report.failures {
              note("device \(device.number): \(failure.name): \(failure.error.map { "\($0)" } ?? "")")
            }
            let news = report.documents.filter { $0.uploaded || $0.downloaded }
            if !news.isEmpty { note("device \(device.number) finds no rest: \(news.map(\.name))") }
          }
          for item in try await device.container.items() where item.downloadingStatus != .current {
            try await device.container.download(itemNamed: item.name)
          }
        } catch {
          if round == 6 { note("device \(device.number): \(error)") }
        }
      }
    }
  }

  private mutating func check(_ devices: [ModelDevice], _ store: any ObjectStore) async {
    guard let first = devices.first else { return }
    for device in devices {
      for document in device.documents {
        let contents = device.contents(of: document)
        if contents["left.txt"] != contents["right.txt"] {
          note("device \(device.number): '\(document)' is mixed")
        }
      }
    }
    for device in devices.dropFirst() {
      if device.documents != first.documents {
        note("device \(device.number) has \(device.documents), device 0 has \(first.documents)")
        continue
      }
      for document in first.documents where device.contents(of: document) != first.contents(of: document) {
        note(
          "device \(device.number): '\(document)' is \(device.contents(of: document)), on device 0 "
            + "\(first.contents(of: document))")
      }
    }
    do {
      // The texts of documents are those of all devices.
      var found = try await texts(in: store, ofConflictsOnly: true)
      for device in devices {
        for document in device.documents { found.formUnion(device.contents(of: document).values) }
        found.formUnion(device.textsOutside)
      }
      for device in devices {
        let shown = try await device.container.items().filter(\.hasUnresolvedConflicts)
        for item in shown
        where try await FileVersion.unresolvedConflictVersionsOfItem(at: item.url)?.isEmpty != false {
          note("device \(device.number) does not show the conflict of '\(item.name)'")
        }
      }
      let versions = try await StoredLog(store).versions.values.joined()
      if isAlone, versions.contains(where: { !$0.conflicts.isEmpty }) {
        note("a device is in conflict with itself")
      }
      let lost = written.subtracting(replaced).subtracting(found).sorted()
      if !lost.isEmpty { note("lost: \(lost)") }
    } catch {
      note("\(error)")
    }
  }
}

/// Runs `body`, and takes the errors of a device that is cut off, or busy, for no problem.
func tolerant(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch is ObjectStoreError {
    // The model makes them.
  } catch is CloudDataError {
    // A sabotaged store; the check in the end finds it.
  } catch is FilePackageError {
    // The document is busy, changed meanwhile, or gone.
  }
}
