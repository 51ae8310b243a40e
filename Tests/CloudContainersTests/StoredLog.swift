import CloudContainers
import ObjectStores

/// The versions that a store keeps, by its log alone.
struct StoredLog {
  /// The versions of each document, the last one last.
  private(set) var versions: [CloudDocumentID: [CloudVersion]] = [:]
  /// The entries that were read.
  private(set) var entries: [LogEntry] = []
  private var places: [CloudDocumentID: [Int]] = [:]

  init(_ store: any ObjectStore) async throws {
    let (start, read) = try await ContainerLog(store).whole(knowing: [:])
    if case .snapshot(let snapshot) = start {
      for kept in snapshot.versions { add(kept.stored.version, in: kept.entry) }
    }
    for entry in read {
      entries.append(entry.entry)
      for change in entry.entry.changes {
        switch change {
        case .version(let stored): add(stored.version, in: entry.position.number)
        case .collecting(let before): expire(before)
        default: break
        }
      }
    }
  }

  /// The last versions.
  var heads: [CloudVersion] { versions.values.compactMap(\.last) }

  private mutating func add(_ version: CloudVersion, in entry: Int) {
    versions[version.document, default: []].append(version)
    places[version.document, default: []].append(entry)
  }

  private mutating func expire(_ before: Int) {
    for (document, numbers) in places {
      let gone = numbers.dropFirst().prefix { $0 < before }.count
      versions[document]?.removeFirst(gone)
      places[document]?.removeFirst(gone)
    }
  }
}
