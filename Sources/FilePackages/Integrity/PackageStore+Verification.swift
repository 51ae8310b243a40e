import DurableIO
import FoundationEssentials
import SystemPackage

extension PackageStore {
  /// Reads every child on disk and compares it with the saved state.
  ///
  /// The digest in the metadata alone shows a difference; the manifest shows the differing child. The verification also
  /// reads the files that only versions have. It ignores unsaved edits of the tree. Cost: every byte of the package, a
  /// chunk at a time.
  ///
  /// - Throws: the error that prevents reading the package as a whole. A child that the device cannot read is
  ///   damaged; one that this user may not read is `unreadable`, and neither damaged nor missing.
  public func verify() throws(FilePackageError) -> VerificationReport {
    do {
      var report = try verifyChildren().report
      try verifyVersions(&report)
      return report
    } catch {
      throw error.during(.verify)
    }
  }

  /// The children on disk and their saved state.
  struct Verified {
    var report = VerificationReport()
    /// The manifest rows of the damaged and missing children.
    var expected: [PackagePath: ManifestRow] = [:]
    /// The rows of the children that could be read.
    var found: [PackagePath: ManifestRow] = [:]
    /// The children on disk whose saved state is unknown.
    var unknown: [PackagePath] = []
    /// The children and folders that the device cannot read.
    fileprivate(set) var failing: [PackagePath: FilePackageError] = [:]
    /// The children and folders that could not be read for another reason.
    fileprivate(set) var unreadable: [PackagePath: FilePackageError] = [:]

    fileprivate mutating func note(_ error: FilePackageError, at path: PackagePath) {
      if error.isOfMedium { failing[path] = error } else { unreadable[path] = error }
    }

    /// The version before at the places of other programs' changes, as the history has it if the changes count as right.
    var before: [VersionRecord.Row] {
      let folder = VersionRecord.Node(.directory, .newDirectory())
      var rows = (report.damaged + report.missing).map { PackagePath($0) }.map { path in
        VersionRecord.Row(path, expected[path]?.child.kind == .directory ? folder : .lost)
      }
      rows += unknown.filter { found[$0]?.child.kind != .directory }.map { VersionRecord.Row($0, .lost) }
      rows += report.extra.map { VersionRecord.Row(PackagePath($0), nil) }
      return rows
    }

    fileprivate var isAllRead: Bool { failing.isEmpty && unreadable.isEmpty }

    /// Returns whether a child, or a folder that contains it, could not be read.
    fileprivate func isUnread(_ path: PackagePath) -> Bool {
      path.names.indices.contains { depth in
        let place = PackagePath(Array(path.names[...depth]))
        return failing[place] != nil || unreadable[place] != nil
      }
    }
  }

  func verifyChildren() throws(FilePackageError) -> Verified {
    var verified = Verified()
    verified.report.journal = state.damage?.reason ?? state.problem.map { "a save waits: \($0.reason ?? "")" }
    var root = StoredNode(location: location, path: .root)
    root.status = baseline.status
    try visit(PackageSnapshot.Node(root, kind: .directory), at: .root, &verified)
    verified.report.unreadable = verified.unreadable.sorted { $0.key < $1.key }.map { path, error in
      .init(path: path.string, reason: error.reason ?? error.code.words)
    }

    guard let metadata = try metadata() else {
      verified.report.damaged = verified.failing.keys.sorted().map(\.string)
      verified.report.isWhole = verified.isAllRead && verified.report.journal == nil
      return verified
    }
    verified.report.hasDigests = true
    var summary = ContentSummary()
    for row in verified.found.values { summary.add(row.child) }
    let isSum = verified.isAllRead && summary == metadata.summary
    if !isSum { try explain(&verified, metadata) }
    verified.report.isWhole = isSum && verified.report.journal == nil
    return verified
  }

  /// Names the children that explain the difference.
  private func explain(
    _ verified: inout Verified, _ metadata: PackageMetadata
  ) throws(FilePackageError) {
    var damaged = Set(verified.failing.keys)
    guard let manifest = try loadManifest(for: metadata) else {
      verified.report.damaged = damaged.sorted().map(\.string)
      verified.report.isUnexplained = verified.unreadable.isEmpty
      verified.unknown = Array(verified.found.keys)
      return
    }
    for (path, found) in verified.found {
      if let row = manifest.row(at: path) {
        if row.child != found.child { damaged.insert(path) }
      } else if manifest.isComplete {
        verified.report.extra.append(path.string)
      } else {
        verified.unknown.append(path)
      }
    }
    var missing: [PackagePath] = []
    for row in manifest.rows where verified.found[row.child.path] == nil {
      if !verified.isUnread(row.child.path) { missing.append(row.child.path) }
    }
    for path in damaged.union(missing) { verified.expected[path] = manifest.row(at: path) }
    verified.report.damaged = damaged.sorted().map(\.string)
    verified.report.missing = missing.sorted().map(\.string)
    verified.report.extra.sort()
    verified.report.isUnexplained =
      damaged.isEmpty && missing.isEmpty && verified.report.extra.isEmpty && verified.unreadable.isEmpty
  }

  private func visit(
    _ node: PackageSnapshot.Node, at path: PackagePath, _ verified: inout Verified
  ) throws(FilePackageError) {
    let children: [(name: FileName, node: PackageSnapshot.Node)]
    do {
      children = try node.children(at: path, looking: true)
    } catch {
      if path.isRoot { throw error }
      verified.note(error, at: path)
      return
    }
    for (name, child) in children {
      let place = path.appending(name)
      if PackageLayout.isOurs(place) { continue }
      verified.report.children += 1
      do {
        let summary = try ChildSummary(reading: child, at: place)
        verified.report.bytes += summary.size
        verified.found[place] = ManifestRow(
          child: summary, modified: child.known?.modified ?? FileTime(seconds: 0, nanoseconds: 0))
      } catch {
        verified.note(error, at: place)
      }
      if child.kind == .directory { try visit(child, at: place, &verified) }
    }
  }
}

extension FilePackageError {
  /// Whether no program can read the bytes from the device: EIO, EBADMSG, EUCLEAN, ENODATA, or no system error at all.
  fileprivate var isOfMedium: Bool {
    systemErrorNumber.map { [5, 74, 117, 61].contains($0) } ?? true
  }
}
