import FilePackages
import FoundationEssentials
import ObjectStores

/// A look at all objects that the documents of a container need.
package struct ContainerCheck: Sendable {
  let session: ContainerSession

  package init(_ session: ContainerSession) { self.session = session }

  /// Looks at all versions, and at all blobs that they need.
  ///
  /// - Parameter reads: whether to read every blob; otherwise the store only has to list it.
  /// - Throws: `ObjectStoreError`; `CancellationError`.
  package func run(reads: Bool) async throws -> CheckReport {
    var report = CheckReport()
    var marks = BlobMarks(session.blobs)
    var roots: [TreeRoot] = []
    try await session.measureClock()
    let now = Date(milliseconds: try await session.storeTime())
    try await session.log.forEachDocument { document, versions in
      report.documents += 1
      for version in versions {
        report.versions += 1
        let isHead = version.sequence == versions.last?.sequence
        do {
          guard let read = try await session.log.version(of: document, version.sequence) else { continue }
          // A collection of garbage may have taken the content of an old deletion.
          let age = now.timeIntervalSince(version.object.modificationDate)
          if read.isDeleted && age >= VersionLog.retention { continue }
          roots.append(read.root)
          if isHead {
            for digest in read.conflicts {
              roots.append(try await session.log.conflict(digest, of: document).root)
            }
          }
        } catch let error as CloudDataError {
          report.problems.append(error)
        }
      }
    }
    for root in roots { try await marks.mark(root) }
    report.problems += marks.problems
    report.blobs = marks.names.count
    var missing = marks.names
    try await session.store.listAll(BlobName.prefix) { page in
      for object in page { if let name = BlobName(object.key) { missing.remove(name) } }
      return true
    }
    for name in missing.sorted() {
      report.problems.append(CloudDataError(.missing, in: session.store.place, blob: name))
    }
    guard reads else { return report }
    let blobs = session.blobs
    let failures = try await concurrentMap(
      marks.names.subtracting(missing).sorted(), BlobStore.maximumCalls
    ) { name -> CloudDataError? in
      do {
        _ = try await blobs.get(name)
        return nil
      } catch let error as CloudDataError {
        return error
      }
    }
    report.problems += failures.compactMap { $0 }
    return report
  }
}

/// The outcome of a check.
public struct CheckReport: Sendable {
  /// The documents, with the deleted ones.
  public var documents = 0
  /// The versions.
  public var versions = 0
  /// The blobs that they need.
  public var blobs = 0
  /// The errors of objects that are missing or damaged.
  public var problems: [any Error] = []

  /// Whether every object is there, and whole as far as it was read.
  public var isWhole: Bool { problems.isEmpty }

  /// Makes an empty report.
  public init() {}
}

extension CheckReport: CustomStringConvertible {
  /// One line, and one for each problem.
  public var description: String {
    let facts =
      "\(counted(documents, "document")), \(counted(versions, "version")), \(counted(blobs, "blob")): "
      + (isWhole ? "all there" : counted(problems.count, "problem"))
    return ([facts] + problems.map { "\($0)" }).joined(separator: "\n")
  }
}
