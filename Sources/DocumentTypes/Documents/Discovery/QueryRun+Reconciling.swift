import DurableIO
import FilePackages
import SystemPackage

// The difference between the known state and the disk (Q2).
extension QueryRun {
  /// The document or folder under a name.
  private enum Sight {
    case nothing
    case document(DocumentItem)
    case folder(DocumentNode, isPackage: Bool)
  }

  /// The search for a document that is in neither place.
  struct Absence {
    private let begin = ContinuousClock.now
    var looks = 0

    /// Whether the document counts as removed although events still come. The number of looks is for a process that
    /// gets little processor time.
    var isFinal: Bool { looks >= 20 && begin + .seconds(2) < .now }
  }

  private typealias Arrival = (folder: SearchedFolder, name: FileName, sight: Sight)

  /// The arrivals and changes of one look.
  private struct Batch {
    var arrivals: [Arrival] = []
    var changes: [QueryReport.Change] = []
  }

  /// Looks at all marked names, and tells the difference.
  ///
  /// A document that moves during a look is in neither place. As long as events come, the query looks again for a gone
  /// document before it tells it as removed. `Absence` has the limit.
  func reconcile() {
    for _ in 0..<8 {
      lookOnce()
      if gone.isEmpty || queued.isEmpty { break }
    }
  }

  private func lookOnce() {
    var batch = Batch()
    // This look includes new marks in folders below; marks in folders above wait for the next look.
    var work = queued.sorted { $0.depth > $1.depth }
    queued = []
    while let folder = work.popLast() {
      folder.isQueued = false
      look(at: folder, &batch)
      let below = queued.filter { $0.depth > folder.depth }
      if below.isEmpty { continue }
      queued.removeAll { $0.depth > folder.depth }
      work = (work + below).sorted { $0.depth > $1.depth }
    }
    // All gone documents are known by now, so the watches of moved ones are free.
    for arrival in batch.arrivals { install(arrival) }
    while !unread.isEmpty { readNext() }
    readEvents()
    tell(batch.changes)
  }

  private func look(at folder: SearchedFolder, _ batch: inout Batch) {
    guard !folder.isDetached else { return }
    if folder.node == nil { return unread.append(folder) }
    let touched = folder.dirty
    do throws(SystemError) {
      let directory = try open(folder)
      if folder.watch == nil, watches {
        startWatching(directory, as: folder)
        folder.isDirty = true
      }
      guard !folder.isPackage else { return }
      let names = try folder.isDirty ? self.names(in: directory, and: folder) : Array(folder.dirty.keys)
      (folder.isDirty, folder.dirty) = (false, [:])
      for name in names {
        try look(at: name, in: folder, directory, isTouched: touched[name] == true, &batch)
      }
      noteSearched(folder)
    } catch {
      // Q3
      folder.isDirty = true
      folder.dirty.merge(touched) { $0 || $1 }
      guard folder.isScope, error.isAbsence else { return note(error, of: folder) }
      // Another folder of that name counts as new.
      empty(folder)
      unread.append(folder)
    }
  }

  private func names(
    in directory: borrowing OwnedDescriptor, and folder: SearchedFolder
  ) throws(SystemError) -> [FileName] {
    let listing = try disk.list(directory)
    var names = Set(folder.entries.keys)
    for position in 0..<listing.count where [.file, .directory].contains(listing.kind(at: position)) {
      let name = listing.name(at: position)
      if case .ignored = kinds.verdict(name, isDirectory: listing.kind(at: position) == .directory) {
        continue
      }
      names.insert(name)
    }
    return Array(names)
  }

  private func look(
    at name: FileName, in folder: SearchedFolder, _ directory: borrowing OwnedDescriptor, isTouched: Bool,
    _ batch: inout Batch
  ) throws(SystemError) {
    let sight = try sight(of: name, in: folder, directory)
    let known = folder.entries[name]
    switch (known, sight) {
    case (nil, .nothing): return
    case (.document, .document(let item)):
      let old = report.item(at: DocumentPlace(item))
      guard let old, old.node == item.node, old.kind === item.kind else { break }
      if old == item && !isTouched { return }
      batch.changes.append(.put(item, isResult: isResult(item), isTouched: isTouched))
      return
    case (.folder(let child), .folder(let node, let isPackage)):
      guard child.node ?? node == node, child.isPackage == isPackage else { break }
      // A folder that was unreadable may be readable by now (Q3).
      if child.problem != nil || child.node == nil { mark(child) }
      if child.isDirty || !child.dirty.isEmpty { queue(child) }
      return
    default: break
    }
    if let known {
      folder.entries[name] = nil
      forget(known, name, in: folder)
    }
    if case .nothing = sight { return }
    batch.arrivals.append((folder, name, sight))
  }

  private func sight(
    of name: FileName, in folder: SearchedFolder, _ directory: borrowing OwnedDescriptor
  ) throws(SystemError) -> Sight {
    guard let status = try disk.statusIfPresent(of: name, in: directory) else { return .nothing }
    guard status.kind == .file || status.kind == .directory else { return .nothing }
    switch kinds.verdict(name, isDirectory: status.kind == .directory) {
    case .ignored: return .nothing
    case .document(let kind): return .document(DocumentItem(name, in: folder, kind, status))
    case .folder:
      guard search.isRecursive else { return .nothing }
      let isPackage: Bool
      do {
        isPackage = try FolderSigns.areOfOwnPackage(disk.openDirectory(name, in: directory), on: disk)
      } catch {
        if error.isAbsence { return .nothing }
        // The attempt to read the folder gives the reason.
        isPackage = false
      }
      if isPackage, let kind = kinds.unnamedPackage {
        return .document(DocumentItem(name, in: folder, kind, status))
      }
      return .folder(DocumentNode(status), isPackage: isPackage)
    }
  }

  private func install(_ arrival: Arrival) {
    let (folder, name, sight) = arrival
    guard !folder.isDetached else { return }
    switch sight {
    case .nothing: break
    case .folder: addFolder(name, in: folder)
    case .document(let item): note(item, in: folder)
    }
  }

  /// Tells changed and new documents, and those that are gone for good.
  private func tell(_ changed: [QueryReport.Change]) {
    var changes = changed
    var arrived: Set<DocumentItem.Identity> = []
    // A folder that has left its path since then has no documents there.
    for (folder, item) in found where !folder.isDetached && folder.node != nil {
      arrived.insert(item.identity)
      changes.append(.put(item, isResult: isResult(item)))
    }
    found.removeAll(keepingCapacity: true)
    for (place, absence) in gone {
      let hasMoved = report.item(at: place).map { arrived.contains($0.identity) } ?? true
      if queued.isEmpty || hasMoved || absence.isFinal {
        changes.append(.remove(place))
        gone[place] = nil
      } else {
        gone[place]?.looks += 1
      }
    }
    report.apply(changes, run: number)
  }
}
