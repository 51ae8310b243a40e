import CommandSupport
import Documents
package import FilePackages
import FoundationEssentials

/// A package, as the commands see it.
package struct PackageDocument: CommandDocument {
  private let path: String

  package init(_ path: String) { self.path = path }

  package func info() async throws -> DocumentInfo {
    let store = try await PackageStore.open(at: url(path))
    if let values = try await store.metadata()?.propertyList {
      return DocumentInfo(values: values, lines: values.lines)
    }
    let kind =
      await folderKind(of: path) == .library
      ? "a folder, and no document" : "a package of another program (\(try await store.shownContentType))"
    return DocumentInfo(values: [:], lines: ["no metadata: \(kind)"])
  }

  package func read(_ child: String, _ body: @Sendable (UnsafeRawBufferPointer) -> Void) async throws {
    try await read(child, ofVersion: nil, body)
  }

  /// Reads a child of the present state, or of a version.
  func read(
    _ child: String, ofVersion version: String?, _ body: @Sendable (UnsafeRawBufferPointer) -> Void
  ) async throws {
    let store = try await PackageStore.open(at: url(path))
    let tree = try await store.tree(ofVersion: version)
    let file = try tree.tree.regularFile(at: child)
    if tree.lost.contains(child) {
      throw InputError(
        description: "'\(display(child))' of that version is lost: another program changed it.")
    }
    try file.forEachChunk { body($0) }
  }

  package func edit(_ changes: ChildChanges, dryRun: Bool) async throws -> Outcome<SaveReport> {
    let store = try await PackageStore.open(at: url(path))
    try await refuseChildrenOfDocuments(changes, in: store)
    try changes.apply(to: await store.tree)
    if dryRun { return .planned(try await store.plan().listed) }
    let done = try await interruptible(with: store) {
      await store.close(after: try await store.save(options: changes.saving))
    }
    return .done(done)
  }

  /// Refuses to change a child of a document through the folder that contains the document: the document's own metadata
  /// would not know.
  private func refuseChildrenOfDocuments(_ changes: ChildChanges, in store: PackageStore) async throws {
    // Metadata that cannot be read are an error of the save.
    guard (try? await store.metadata()) == nil, await folderKind(of: path) == .library else { return }
    for child in changes.written.map(\.name) + changes.removed {
      guard let document = try Library.document(around: child, in: path) else { continue }
      throw InputError(
        description: "'\(display(child))' is in the document '\(display(document))': edit that one. "
          + "Nothing was changed.")
    }
  }

  package func differences(to other: String) async throws -> FoundDifferences {
    try await PackageStore.reading(at: url(path)) { first in
      try await PackageStore.reading(at: url(other)) { second in
        FoundDifferences(try await first.tree.differences(to: second.tree).map(ShownDifference.init))
      }
    }
  }

  /// Compares versions: two with each other, one with the present state, or the last save with the one before.
  func differences(ofVersions versions: [String]) async throws -> FoundDifferences {
    try await PackageStore.reading(at: url(path)) { [path] store in
      let first: FileVersion?
      if let text = versions.first {
        first = try await store.version(text, inConflict: true)
      } else {
        first = try await store.versions().first
      }
      guard let first else {
        throw InputError(description: "'\(display(path))' has no versions to compare with.")
      }
      var second: FileVersion?
      if versions.count == 2 { second = try await store.version(versions[1], inConflict: true) }
      let (changes, lost) = try await store.differences(
        from: first.persistentIdentifier, to: second?.persistentIdentifier)
      return FoundDifferences(try changes.map(ShownDifference.init), lost: lost)
    }
  }

  package func verify() async throws -> VerificationReport {
    try await PackageStore.reading(at: url(path)) { try await $0.verify() }
  }

  package func copyPlan(to destination: String, withHistory: Bool) async throws -> SavePlan {
    try await copying { try await $0.copyPlan(to: url(destination), withHistory: withHistory) }
  }

  package func copy(to destination: String, withHistory: Bool) async throws -> SaveReport {
    try await copying {
      try await $0.copy(to: url(destination), withHistory: withHistory, progress: ByteProgress())
    }
  }

  /// Calls `body` with the open package. The tree has each document with a database in a library at one moment.
  private func copying<Result: Sendable>(
    _ body: @Sendable (PackageStore) async throws -> Result
  ) async throws -> Result {
    let store = try await PackageStore.open(at: url(path))
    guard let library = try await Library(at: path) else { return try await body(store) }
    return try await library.withDatabases(in: store.tree) { try await body(store) }
  }

  package func withSnapshot<Result: Sendable>(
    _ body: @Sendable (PackageSnapshot) async throws -> Result
  ) async throws -> Result {
    try await withTree { try await body($0.snapshot()) }
  }

  package func withTree<Result: Sendable>(
    _ body: @Sendable (FileWrapper) async throws -> Result
  ) async throws -> Result {
    let library = try await Library(at: path)
    return try await PackageStore.reading(at: url(path)) { store in
      let tree = await store.tree
      guard let library else { return try await body(tree) }
      return try await library.withDatabases(in: tree) { try await body(tree) }
    }
  }

  package func publish() async throws {}
}

// MARK: Versions

extension PackageDocument {
  package func versions() async throws -> [ShownVersion] {
    let (current, versions) = try await PackageStore.reading(at: url(path)) { store in
      (try await store.metadata(), try await store.versions())
    }
    return (current.map { [ShownVersion($0)] } ?? []) + versions.map(ShownVersion.init)
  }

  func startHistory(dryRun: Bool) async throws -> HistoryStartReport {
    if await folderKind(of: path) == .library {
      throw InputError(
        description:
          "'\(display(path))' is a folder, and no document, so it keeps no versions. Each document in it "
          + "keeps its own. If the folder is one document, give its name an extension.")
    }
    let store = try await PackageStore.open(at: url(path))
    let report = try await store.startKeepingHistory(dryRun: dryRun)
    try await store.close()
    return report
  }

  func stopHistory(dryRun: Bool) async throws -> ThinningReport {
    let store = try await PackageStore.open(at: url(path))
    return try await interruptible(with: store) {
      var report = try await store.stopKeepingHistory(dryRun: dryRun)
      await store.close(noting: &report.warnings)
      return report
    }
  }

  /// Removes versions by the retention policy, or plans that.
  ///
  /// - Parameter budget: the bytes of children that the history keeps from now on; nil for no change.
  func pruneHistory(budget: UInt64?, dryRun: Bool) async throws -> ThinningReport {
    let store = try await PackageStore.open(at: url(path))
    return try await interruptible(with: store) {
      var policy = try await store.retentionPolicy()
      if let budget { policy?.byteBudget = budget }
      var report = try await store.thinHistory(under: policy, dryRun: dryRun)
      await store.close(noting: &report.warnings)
      return report
    }
  }

  /// Restores a document or one child to a version, or plans that.
  ///
  /// - Parameter version: the first digits of the version's identifier.
  func restore(
    _ version: String, child: String?, saving: SavingOptions, dryRun: Bool, quiet: Bool
  ) async throws -> Outcome<RestoreReport> {
    let store = try await PackageStore.open(at: url(path))
    let present = try await store.present(version)
    let id: UUID
    if let present {
      id = present
    } else {
      id = try await store.version(version).persistentIdentifier
    }
    func tell(_ isUnchanged: Bool) {
      guard present != nil, isUnchanged, !quiet else { return }
      StandardError.write("docpkg: '\(display(path))' is in that state already\n")
    }
    if dryRun {
      let plan = try await store.restorePlan(id, child: child)
      tell(plan.isEmpty)
      return .planned(plan.listed)
    }
    let report = try await interruptible(with: store) {
      var report = try await store.restore(id, child: child, options: saving)
      report.save = await store.close(after: report.save)
      return report
    }
    tell(report.save.strategy == .none && report.lost.isEmpty)
    return .done(report)
  }
}

extension ChildChanges {
  /// Applies the changes to a tree.
  func apply(to tree: FileWrapper) throws {
    for child in removed {
      if PackagePath(child).names == [PackageLayout.metadata] {
        throw InputError(
          description:
            "'\(display(child))' cannot be removed: it is the document's own, and every save writes it."
        )
      }
      try tree.removeDescendant(at: child)
    }
    for child in written {
      if !isForced, try tree.descendant(toEditAt: child.name)?.isDirectory == true {
        let name = display(child.name)
        throw InputError(
          description: "'\(name)' is a folder, which --set does not replace by a file. "
            + "Give --remove '\(name)' too, or --force. Nothing was changed.")
      }
      try tree.setDescendant(contents(ofFile: child.file), at: child.name)
    }
  }
}

extension FoundDifferences {
  fileprivate init(_ shown: [ShownDifference], lost: [String] = []) {
    self.init(
      json: shown, text: shown.map(\.text).joined(), lines: shown.map { $0.line + "\n" }.joined(), lost: lost,
      isEmpty: shown.isEmpty)
  }
}
