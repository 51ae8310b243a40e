package import DurableIO
package import FileTrees
import FoundationEssentials
package import PackageFormat

// The stages of a save are values, and each is made of the one before:
//
//     SaveRequest ─ plan ─▶ PlannedSave ─ commit ─▶ CommittedSave ─ publish ─▶ PublishedSave ─ rebase ─▶ StoreBaseline
//
// The states of a store between two of its calls are the rest of its last save:
//
//     state        what the disk has                          what the tree's baseline is     what may be trusted
//     clean        the baseline                               the state on disk               all
//     waiting      the log has the save, which may be         the state on disk               the save is durable
//                  published in part if that failed once
//     published    the save under its visible names           the state before it             the save is durable
//     inDoubt      the record, or none                        the state on disk               nothing until the lock is held
//     damaged      a log that cannot be read                  the state on disk               the children as they are
//
//     from         call                                       to
//     clean        commit(_:) succeeds                        waiting
//     clean        commit(_:) fails at the last moment        inDoubt
//     waiting      publishPending() succeeds                  published
//     waiting      publishPending() fails                     waiting, with the reason
//     published    rebase() succeeds                          clean
//     published    rebase() fails                             published; the next save tries again
//     inDoubt      withPackageLock(), the record is there     published
//     inDoubt      withPackageLock(), it is not               clean
//     any          a damaged log is found                     damaged, over the save that waits
//     damaged      repair()                                   waiting if a save waits, otherwise clean

/// A save that is durable and that other programs do not see yet.
package struct CommittedSave {
  package let tree: FileWrapper
  package let snapshot: PackageSnapshot
  /// The metadata of the save; nil if the package has none.
  let metadata: PackageMetadata?
  /// The files that it did not write since they had its bytes already, as the tree knew them.
  var identical: [PackagePath: FileStatus] = [:]
}

/// A save that other programs see, until it is the baseline of its tree.
package struct PublishedSave {
  let tree: FileWrapper
  let snapshot: PackageSnapshot
  /// The status of the package's own directory after the save.
  let made: FileStatus
  /// The metadata, if the package has some; without a status if another program wrote them since.
  let metadata: (metadata: PackageMetadata, status: FileStatus?)?
  /// Whether a new directory has all of it; otherwise the package's own directory got the changes.
  var isNew = false
  /// Whether another program may have written since the save was published.
  var isLate = false

  /// Makes the stage of a package that was made of the snapshot.
  package init(
    _ tree: FileWrapper, _ snapshot: PackageSnapshot, in package: FileStatus,
    _ metadata: (metadata: PackageMetadata, status: FileStatus?)?
  ) {
    (self.tree, self.snapshot, made, self.metadata) = (tree, snapshot, package, metadata)
    isNew = true
  }

  init(
    _ save: CommittedSave, in package: FileStatus,
    _ metadata: (metadata: PackageMetadata, status: FileStatus?)?, isLate: Bool
  ) {
    (tree, snapshot, made, self.metadata) = (save.tree, save.snapshot, package, metadata)
    self.isLate = isLate
  }
}

/// The state of a store between two of its calls.
package enum SaveState {
  /// The tree tells its changes from the disk.
  case clean
  /// A save is durable, and other programs do not see it yet. The error says why publishing it failed.
  case waiting(CommittedSave, because: FilePackageError?)
  /// Other programs see a save, and the tree still tells its changes from the state before it.
  case published(PublishedSave)
  /// A commit failed at the last moment: its record is in the log, or not.
  case inDoubt(CommittedSave, SaveRecord)
  /// The log cannot be read, and nothing can be saved; a save may wait in it.
  case damaged(FilePackageError, over: CommittedSave?)

  /// The save that is committed and not published.
  var waiting: CommittedSave? {
    switch self {
    case .waiting(let save, _): save
    case .damaged(_, let save): save
    case .clean, .published, .inDoubt: nil
    }
  }

  /// The reason why the waiting save could not be published.
  package var problem: FilePackageError? {
    switch self {
    case .waiting(_, let error): error
    case .damaged(let error, _?): error
    default: nil
    }
  }

  /// Whether no save is left to publish or to make the baseline.
  var isRebased: Bool {
    if case .published = self { false } else { waiting == nil }
  }

  /// Whether the last save is known to be committed or not.
  var isCertain: Bool { if case .inDoubt = self { false } else { true } }

  /// The reason why nothing can be saved.
  package var damage: FilePackageError? { if case .damaged(let error, _) = self { error } else { nil } }

  /// The log turned out to be damaged.
  mutating func damage(by error: FilePackageError) { self = .damaged(error, over: waiting) }

  /// The damaged log is set aside.
  mutating func resume() {
    guard case .damaged(let error, let save) = self else { return }
    self = save.map { .waiting($0, because: error) } ?? .clean
  }
}
