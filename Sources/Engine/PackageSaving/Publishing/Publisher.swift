import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat
import SystemPackage

// P1 A name leads to a new file only after that file is synced. Other programs find the old file or the new one, whole,
//    also after a power cut.
// P2 The publisher compares each node that comes out of an exchange with the one that the save was made over. Any other
//    node is another program's later edit, and becomes a conflict version.
// P3 Publishing repeats without harm: this process, or one that was cut short, may have taken every step already.
// P4 The content that the save puts into the package stays in the log until all touched folders are synced.
// P5 In recovery the publisher touches nothing before it knows that it can take every step.
// P6 A node may be neither the old nor the new one. If nothing shows that it came before the new one was published, the
//    publisher assumes that it came later: it stays.
// P7 Before a node of a version loses its name in the package for good, it has a durable name among the staged files.
//    Before that, the node that was put has a durable name in the package.
// P8 The publisher makes another program's content durable among the conflict versions before its next step, even if
//    the rest of the publishing fails. It syncs the folders above before the move, and the target folder after it.

/// Gives the committed children of a record their visible names.
///
/// It renames only files and links. It makes folders, and removes them if they are empty.
///
/// Cost: making, syncing and renaming each file that the record holds; a rename for each other file; a sync of each
/// touched folder. It looks at nothing else in the package.
struct Publisher: ErrorNaming {
  /// The record, with the inode numbers of the nodes that were made for it.
  var record: SaveRecord
  /// The package.
  package let root: OpenNode
  /// The staging folder.
  let staging: OpenNode
  package let location: Location
  var operation: FilePackageError.Operation { .save }
  let disk: any Disk
  /// Whether the record was found rather than just written: then the publisher takes nothing about the staged files for
  /// granted.
  let isRecovery: Bool
  /// Whether the log was written for this very directory, so that inode numbers mean something.
  var isBound = true

  /// Children that another program wrote meanwhile; the package has both contents.
  var conflicts: Set<String> = []
  /// The staged files that were lost or given up and made anew from the record.
  var rewritten: Set<FileName> = []
  /// The folder of kept files, if something in it may not be durable yet.
  var versions: OpenNode?
  /// Whether a replaced node has another name among the staged files than an exchange gives it.
  var hasSetAside = false
  /// The number of folders of conflict versions that have another version of a child.
  var conflictFolders = 0
  /// Whether the publisher goes on after a change of names that the file system refuses.
  var skipsRefused = false
  /// The changes that the file system refused, if it goes on after them.
  var refused: [PackagePath: Refusal] = [:]
  /// The open folders of the package.
  private let folders: OpenFolders
  /// The folders that the record makes.
  let newFolders: Set<PackagePath>

  init(
    _ record: SaveRecord, root: OpenNode, staging: OpenNode, at location: Location, on disk: any Disk,
    isRecovery: Bool
  ) {
    self.record = record
    newFolders = Set(record.changes.rows.lazy.filter(\.makesFolder).map(\.path))
    self.root = root
    folders = OpenFolders(in: root, on: disk)
    self.staging = staging
    self.location = location
    self.disk = disk
    self.isRecovery = isRecovery
  }

  mutating func publish() throws(FilePackageError) {
    // P5
    if isRecovery { try checkAll() }
    try makeStaged()
    // A folder that takes the place of a file, or a file that of a folder, needs a free name.
    let rows = record.changes.rows
    let comes = Set(rows.lazy.filter(\.puts).map(\.path)).union(newFolders)
    let goes = rows.filter { $0.removes || $0.removesFolder }
    let isInTheWay = goes.map { $0.path.prefixes.contains(where: comes.contains) }
    try remove(zip(goes, isInTheWay).filter(\.1).map(\.0))
    // Other removals come after new names: a file that moves has two names meanwhile, never none.
    let last = zip(goes, isInTheWay).filter { !$0.1 }.map(\.0)
    let shrinking = Set(last.lazy.map(\.path.parent))
    for (folder, changes) in Self.groups(rows.filter { $0.puts || $0.makesFolder }) {
      // A new folder has a durable name before a node leaves the staging folder for it. With a version, the nodes that
      // were put have durable names before the replaced ones lose theirs (P7). Otherwise the removals below may sync the
      // folder.
      let mustSync = record.keepsVersion || changes.contains(where: \.makesFolder)
      try carryOut(changes, in: folder, synchronizing: mustSync || !shrinking.contains(folder)) {
        (publisher, change, folder) throws(FilePackageError) in
        if change.puts { try publisher.put(change, in: folder.descriptor) }
        if change.makesFolder { try publisher.makeFolder(change, in: folder.descriptor) }
      }
    }
    try remove(last)
    for change in rows where change.setsAttributes { try setAttributes(change) }
  }

  /// Returns changes by their folders, each folder before those in it.
  private static func groups(_ changes: [Change]) -> [(key: PackagePath, value: [Change])] {
    Dictionary(grouping: changes, by: \.path.parent).sorted { $0.key < $1.key }
  }

  /// Removes files and links, and then the folders that are empty.
  private mutating func remove(_ changes: [Change]) throws(FilePackageError) {
    let files = changes.filter(\.removes)
    for (folder, changes) in Self.groups(files) {
      try carryOut(changes, in: folder, synchronizing: false) {
        (publisher, change, folder) throws(FilePackageError) in
        try publisher.remove(change, in: folder.descriptor)
      }
    }
    if record.keepsVersion && !files.isEmpty { try synchronizeKept() }
    var gone: Set<PackagePath> = []
    for change in changes.filter(\.removesFolder).sorted(by: { $1.path < $0.path }) {
      if try removeFolder(change) { gone.insert(change.path) }
    }
    let touched = Set(changes.filter { refused[$0.path] == nil }.map(\.path.parent))
    for folder in touched.subtracting(gone).sorted() {
      try attempt(folder, "syncing the folder") {
        if let folder = try open(folder) { try disk.synchronize(folder.descriptor) }
      }
    }
  }

  /// Removes the leftovers of the save from the staging folder. The next session removes the rest.
  func removeLeftovers() {
    for change in record.changes.rows where change.puts || change.removes {
      // That node is in the folder of kept files.
      if record.keepsVersion && change.keptName != nil && !mustLook { continue }
      removeLeftover(change.name)
      if rewritten.contains(change.name) { removeLeftover(change.name.rewritten) }
    }
  }

  /// Whether replaced nodes may have several names, or other nodes may have the names that they should have.
  var mustLook: Bool { isRecovery || hasSetAside || !rewritten.isEmpty }

  func removeLeftover(_ name: FileName) {
    // The next session sweeps what stays.
    try? disk.removeFile(name, in: staging.descriptor)
  }

  // MARK: Folders

  private mutating func carryOut(
    _ changes: [Change], in path: PackagePath, synchronizing: Bool,
    _ body: (inout Publisher, Change, OpenNode) throws(FilePackageError) -> Void
  ) throws(FilePackageError) {
    if let refusal = refused[path] {
      for change in changes { refused[change.path] = Refusal(error: refusal.error, staged: nil) }
      return
    }
    let folder: OpenNode?
    do {
      folder = try open(path)
    } catch {
      for change in changes { try refuse(error, change, "opening the folder of") }
      return
    }
    guard let folder else {
      // Another program moved the folder away: the publisher makes conflict versions of the nodes for it.
      for change in changes { try moveOursToConflicts(change) }
      return
    }
    for change in changes { try body(&self, change, folder) }
    if synchronizing {
      try attempt(path, "syncing the folder") { try disk.synchronize(folder.descriptor) }
    }
  }

  /// Returns a folder of the package; nil if it is gone.
  func open(_ path: PackagePath) throws(SystemError) -> OpenNode? {
    do {
      return try folders.folder(path)
    } catch  where error.isAbsence {
      return nil
    }
  }
}
