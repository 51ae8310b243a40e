import DurableIO
import FileTrees
import PackageFormat

extension SaveDraft {
  /// Takes over the digests of the children that another program changed or added, if this program has read them, or if
  /// they have the bytes that this save would give them.
  ///
  /// The program has seen their present bytes, so these belong to the state that it saves. In the version before, such
  /// a child has its saved bytes only if another file has them. The save does not take over damage: verification still
  /// names it.
  ///
  /// Cost: a look into the notes for each file that was read since the last save; a read of each one that differs.
  ///
  /// - Parameter isInConflict: whether the children may be of several versions; a merge decides about them. The save
  ///   asks only if there is such a child.
  mutating func takeOverReadFiles(unless isInConflict: () -> Bool) {
    guard metadata != nil, let known else { return }
    let reads = location.readFiles.all
    if reads.isEmpty && plan.identical.isEmpty { return }
    let replaced = Set(plan.steps.lazy.filter(\.replacesContents).map(\.path))
    var changed = reads.filter { path, status in
      known.row(at: path).map { $0.mayBeChanged(status) } ?? known.isComplete
        && !path.prefixes.contains(where: replaced.contains)
    }
    for (path, status) in reads where changed[path] == nil { location.readFiles.forget(path, status) }
    // These bytes are no damage, whatever their date: the save would write the same.
    let right = plan.identical.filter { path, status in
      known.row(at: path).map { $0.modified != status.modified } ?? known.isComplete
    }
    changed.merge(right) { _, right in right }
    if changed.isEmpty || isInConflict() { return }
    for (path, status) in changed.sorted(by: { $0.key < $1.key }) {
      let row = known.row(at: path)
      guard let found = present(path, status), right[path] != nil || row?.difference(of: found) != .damaged,
        takeOver(found, instead: row, known)
      else {
        location.readFiles.forget(path, status)
        continue
      }
    }
  }

  /// Takes over what other programs did.
  mutating func takeOver(_ rows: [Change]) {
    for row in rows { changes[row.path] = row }
  }

  /// Returns the row of a file in the state that the program has read; nil if it cannot be read in that state.
  private func present(_ path: PackagePath, _ status: FileStatus) -> NotedChild? {
    let stored = StoredNode(location: location, path: path, status: status)
    // The save does not depend on this file: its row stays, and verification reads the file again.
    return (try? stored.summary(as: .file)).map { NotedChild(child: $0, modified: status.modified) }
  }

  /// Takes over a file in place of its row; returns false if the folders around it are not those of the notes.
  private mutating func takeOver(
    _ found: NotedChild, instead row: NotedChild?, _ known: StateTable
  ) -> Bool {
    let around = found.child.path.folders.map { (path: $0, row: known.row(at: $0)) }
    guard around.allSatisfy({ $0.row.map { $0.child.kind == .directory } ?? known.isComplete }) else {
      return false
    }
    for folder in around where folder.row == nil {
      let child = ChildSummary(path: folder.path, kind: .directory, mode: 0, size: 0, content: .empty)
      takeOver([Change(folder.path, new: NotedChild(child: child, modified: found.modified))])
    }
    takeOver([Change(found.child.path, noted: row, new: found)])
    return true
  }
}

extension NotedChild {
  /// Returns whether the file with that status may be another program's edit of the saved file, and no damage.
  fileprivate func mayBeChanged(_ status: FileStatus) -> Bool {
    child.kind == .file
      && (status.modified > modified || child.isExecutable != (status.mode & 0o100 != 0))
  }
}

extension SavePlan.Step {
  /// Whether the step accounts for everything at its place.
  var replacesContents: Bool { if case .setAttributes = action { false } else { true } }
}
