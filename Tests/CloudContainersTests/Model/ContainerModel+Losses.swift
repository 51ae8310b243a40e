import CloudContainers
import Documents
import Foundation
import ObjectStores
import StoreTestSupport

// A store that loses single objects at the end of a program. The devices repair it, and sync.

/// The texts of a program and their documents at the moment before a loss.
private struct TextsBeforeLoss {
  /// The documents that had a text, by text.
  var documents: [String: Set<CloudDocumentID>] = [:]
  /// The names that a document had anywhere.
  var names: [CloudDocumentID: Set<String>] = [:]
  /// The texts on the machines, also those of conflict versions.
  var here: Set<String> = []
  /// The texts in documents that were made from the last version in the store. A repair has to store them.
  var current: Set<String> = []
  /// The documents with such texts, and without conflicts. All devices have to read them in the end.
  var whole: Set<CloudDocumentID> = []
  /// The entries of the log that a device knows.
  var known: Set<ObjectKey> = []

  mutating func note(_ texts: some Sequence<String>, of document: CloudDocumentID, named name: String) {
    names[document, default: []].insert(name)
    for text in texts { documents[text, default: []].insert(document) }
  }
}

extension ContainerModel {
  /// Loses objects for good, lets each device repair the store twice, and checks what is left.
  mutating func loseObjects(
    of store: MemoryStore, as seen: any ObjectStore, _ devices: [ModelDevice], _ clock: ModelClock
  ) async throws {
    for device in devices { try await device.link.heal() }
    var before = try await texts(in: seen, devices)
    try await removeObjects(from: store, before)
    var named: Set<String> = []
    for round in 0..<(sabotage.repairs ? 2 : 0) {
      for device in devices {
        clock.advance(1)
        do {
          let report = try await device.container.repair(reads: true)
          named.formUnion(names(in: report.check.problems) + report.documents)
        } catch {
          // A device that has no version of the store cannot make its mark. Another one does.
          if round > 0 { note("device \(device.number), repair: \(error)") }
        }
      }
    }
    let failing = try await settleAfterLoss(devices, clock, &named)
    for device in devices {
      let report = try await device.container.check(reads: true)
      for problem in report.problems where names(in: [problem]).isEmpty {
        note("device \(device.number), without a name: \(problem)")
      }
      named.formUnion(names(in: report.problems))
    }
    let after = try await texts(in: seen, devices)
    before.names.merge(after.names) { $0.union($1) }
    try await check(devices, seen, before, named)
    compare(devices, without: failing)
    for device in devices {
      let session = device.container.session
      for record in try await session.state.records() where failing.contains(record.name) {
        guard let head = try session.head(of: record), !head.isDeleted, before.whole.contains(head.document)
        else {
          continue
        }
        note("device \(device.number): '\(record.name)' fails, and a machine has it")
      }
    }
  }

  /// Removes some objects of some kinds. A device knows each removed entry of the log.
  private mutating func removeObjects(from store: MemoryStore, _ before: TextsBeforeLoss) async throws {
    let keys = store.keys
    func all(_ prefix: String) -> [ObjectKey] { keys.filter { $0.string.hasPrefix(prefix) } }
    let entries = all("log/").filter { before.known.contains($0) }
    let kinds = [all("blobs/"), entries.suffix(1), entries, all("state/")]
    for kind in kinds where random(2) == 0 {
      for _ in 0..<(1 + random(3)) where !kind.isEmpty {
        let key = kind[random(kind.count)]
        log.append("the store loses \(key.string)")
        try await store.delete(key)
      }
    }
    // Without the object 'container' no run works, so that a sabotage would show at once. A repair makes it for a
    // device that knows one of the entries in the store.
    if sabotage.repairs, random(2) == 0, entries.contains(where: { store.keys.contains($0) }) {
      log.append("the store loses container")
      for key in store.keys where key.string == "container" { try await store.delete(key) }
    }
  }

  /// Lets all devices come to rest; returns the names of documents that fail in the end.
  private mutating func settleAfterLoss(
    _ devices: [ModelDevice], _ clock: ModelClock, _ named: inout Set<String>
  ) async throws -> Set<String> {
    var failing: Set<String> = []
    // Uploads may wait for the end of a collection of garbage that was cut off.
    clock.advance(3_601)
    for round in 0..<6 {
      failing = []
      for device in devices {
        clock.advance(1)
        do {
          let report = try await device.container.sync()
          failing.formUnion(report.failures.map(\.name))
          named.formUnion(names(in: report.problems) + report.lost)
          let news = report.documents.filter { $0.error == nil && ($0.uploaded || $0.downloaded) }
          if round == 5, !news.isEmpty { note("device \(device.number) finds no rest: \(news.map(\.name))") }
          if round == 5, let failure = report.failures.first(where: { !($0.error is CloudDataError) }) {
            note("device \(device.number): \(failure)")
          }
          for item in try await device.container.items() where item.downloadingStatus != .current {
            do {
              try await device.container.download(itemNamed: item.name)
            } catch let error as CloudDataError {
              failing.insert(error.document ?? item.name)
            }
          }
        } catch {
          if round == 5 { note("device \(device.number): \(error)") }
        }
      }
      named.formUnion(failing)
    }
    return failing
  }

  private mutating func check(
    _ devices: [ModelDevice], _ seen: any ObjectStore, _ before: TextsBeforeLoss, _ named: Set<String>
  ) async throws {
    let stored = try await lastTexts(in: seen)
    var here: Set<String> = []
    for device in devices { here.formUnion(texts(on: device)) }
    for text in written.subtracting(replaced).sorted() {
      let names = before.documents[text, default: []].reduce(into: Set<String>()) {
        $0.formUnion(before.names[$1, default: []])
      }
      if before.here.contains(text), !here.contains(text), !stored.contains(text) {
        note("lost on a machine: \(text) of \(names)")
      } else if before.current.contains(text), !stored.contains(text) {
        note("not in the container again: \(text) of \(names)")
      } else if !here.contains(text), !stored.contains(text), names.isDisjoint(with: named) {
        note("lost without a name: \(text) of \(names)")
      }
    }
  }

  /// All devices have the same documents, as far as these can be read.
  private mutating func compare(_ devices: [ModelDevice], without failing: Set<String>) {
    guard let first = devices.first else { return }
    let expected = first.documents.filter { !failing.contains($0) }
    for device in devices.dropFirst() {
      let documents = device.documents.filter { !failing.contains($0) }
      if documents != expected {
        note("device \(device.number) has \(documents), device 0 has \(expected), \(failing) fail")
        continue
      }
      for document in documents where device.contents(of: document) != first.contents(of: document) {
        note(
          "device \(device.number): '\(document)' is \(device.contents(of: document)), on device 0 "
            + "\(first.contents(of: document))")
      }
    }
  }

  // MARK: Texts

  private func texts(in store: any ObjectStore, _ devices: [ModelDevice]) async throws -> TextsBeforeLoss {
    var found = TextsBeforeLoss()
    var heads: [CloudDocumentID: CloudVersion] = [:]
    for versions in try await StoredLog(store).versions.values {
      for version in versions {
        heads[version.document] = version
        let texts = await readableTexts(of: version, in: store, withConflicts: version == versions.last)
        found.note(texts, of: version.document, named: version.name)
      }
    }
    for device in devices {
      found.here.formUnion(texts(on: device))
      let session = device.container.session
      let documents = Set(device.documents)
      found.known.formUnion(try await session.state.snapshot().versions.map { ContainerLog.key($0.entry) })
      for record in try await session.state.records() {
        let head = try session.head(of: record)
        guard record.base != nil, documents.contains(record.name) else { continue }
        let texts = device.contents(of: record.name).values
        let document = try record.document
        found.note(Array(texts) + device.conflicts(of: record.name), of: document, named: record.name)
        guard let head, !head.isDeleted, head == heads[document],
          record.base == Data(head.root.bytes)
        else { continue }
        found.current.formUnion(texts)
        if head.conflicts.isEmpty { found.whole.insert(document) }
      }
    }
    return found
  }

  /// The texts on a machine.
  private func texts(on device: ModelDevice) -> Set<String> {
    var texts = Set(device.textsOutside)
    for document in device.documents {
      texts.formUnion(device.contents(of: document).values)
      texts.formUnion(device.conflicts(of: document))
    }
    return texts
  }

  /// The texts of the last versions and their conflicts that can be read.
  private func lastTexts(in store: any ObjectStore) async throws -> Set<String> {
    var texts: Set<String> = []
    for version in try await StoredLog(store).heads where !version.isDeleted {
      texts.formUnion(await readableTexts(of: version, in: store, withConflicts: true))
    }
    return texts
  }

  /// The texts of a version whose objects are there.
  private func readableTexts(
    of version: CloudVersion, in store: any ObjectStore, withConflicts: Bool
  ) async -> Set<String> {
    let blobs = BlobStore(store).adding(version.blobs)
    var texts: Set<String> = []
    for root in [version.root] + (withConflicts ? version.conflicts.map(\.root) : []) {
      // A version without its pages has no text that can be read.
      for entry in (try? await DocumentTree(root, blobs).entries()) ?? [] {
        guard case .file(let content) = entry.kind, content.size > 0 else { continue }
        if let bytes = try? await blobs.get(BlobName(content.hash), child: entry.path.display) {
          texts.insert(String(decoding: bytes, as: UTF8.self))
        }
      }
    }
    return texts
  }

  /// The names of the documents in errors.
  private func names(in problems: [any Error]) -> [String] {
    problems.compactMap { ($0 as? CloudDataError)?.document }
  }
}
