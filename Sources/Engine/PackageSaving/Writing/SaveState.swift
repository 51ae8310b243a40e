import FoundationEssentials
package import PackageFormat

// The states of a store between two of its calls: the rest of its last save.
//
//                    ┌────────────────────────── rebase ───────────────────────────┐
//                    ▼                                                             │
//     open ───▶   clean ──── commit ───▶ committed ──── publish ───▶ published ────┤
//                  │                      │                                        │
//                  │                      │ fails                                  │
//                  │                      ▼                                        │
//                  │                    blocked ──── publish ───▶ published ───────┘
//                  └─ commit fails late ──▶ inDoubt ── next lock: done? published : as before
//
//     state        what the disk has                          what the tree's baseline is     what may be trusted
//     clean        the baseline                               the state on disk               all
//     committed    the baseline; the log has the save     the state on disk               the save is durable
//     blocked      as committed, maybe published in part      the state on disk               the save is durable
//     published    the save under its visible names           the state before it             the save is durable
//     inDoubt      the record, or none                        the state on disk               nothing until the lock is held
//     damaged      a log that cannot be read              the state on disk               the children as they are
//
//     from                        call                                    to
//     clean                       commit(_:)                              committed
//     committed, blocked          publishPending() succeeds               published
//     committed, blocked          publishPending() fails                  blocked
//     published                   rebase() succeeds                       clean
//     published                   rebase() fails                          published; the next save tries again
//     clean                       a commit that fails late                inDoubt
//     inDoubt                     withPackageLock(), it is there          published
//     inDoubt                     withPackageLock(), it is not            clean
//     any                         a damaged log is found              damaged, over the save that waits
//     damaged                     repair()                                blocked if a save waits, otherwise clean

/// The state of a store between two of its calls.
package enum SaveState {
  /// The tree tells its changes from the disk.
  case clean
  /// A save is durable, and other programs do not see it yet.
  case committed(CommittedSave)
  /// A save is durable, and publishing it failed.
  case blocked(CommittedSave, because: FilePackageError)
  /// Other programs see a save, and the tree still tells its changes from the state before it.
  case published(PublishedSave)
  /// A commit failed at the last moment.
  case inDoubt(UncertainSave)
  /// The log cannot be read, and nothing can be saved; a save may wait in it.
  case damaged(FilePackageError, over: CommittedSave?)

  // MARK: Looking

  /// The save that is committed and not published.
  var waiting: CommittedSave? {
    switch self {
    case .committed(let save), .blocked(let save, _): save
    case .damaged(_, let save): save
    case .clean, .published, .inDoubt: nil
    }
  }

  /// The reason why the waiting save could not be published.
  package var problem: FilePackageError? {
    switch self {
    case .blocked(_, let error): error
    case .damaged(let error, _?): error
    default: nil
    }
  }

  /// The save that other programs may see, and that the tree's baseline does not have yet.
  var unrebased: PublishedSave? {
    if case .published(let save) = self { save } else { nil }
  }

  /// Whether no save is left to publish or to make the baseline.
  var isRebased: Bool { waiting == nil && unrebased == nil }

  /// The save that may be committed or not; the next look at the log tells.
  var doubt: UncertainSave? { if case .inDoubt(let save) = self { save } else { nil } }

  /// The reason why nothing can be saved.
  package var damage: FilePackageError? { if case .damaged(let error, _) = self { error } else { nil } }

  // MARK: Going on

  /// Publishing the waiting save failed.
  mutating func block(because error: FilePackageError) {
    switch self {
    case .committed(let save), .blocked(let save, _): self = .blocked(save, because: error)
    case .clean, .published, .inDoubt, .damaged: break
    }
  }

  /// The save in doubt was not committed, or the damaged log is set aside.
  mutating func resume() {
    switch self {
    case .damaged(let error, let save?): self = .blocked(save, because: error)
    case .inDoubt, .damaged: self = .clean
    case .clean, .committed, .blocked, .published: break
    }
  }

  /// The log turned out to be damaged.
  mutating func damage(by error: FilePackageError) { self = .damaged(error, over: waiting) }

  /// The directory of the waiting save is gone, and the save with it.
  mutating func forgetWaiting() {
    switch self {
    case .committed, .blocked: self = .clean
    case .damaged(let error, _): self = .damaged(error, over: nil)
    case .clean, .published, .inDoubt: break
    }
  }

  /// Other programs may have written since the save was published.
  mutating func noteDelay() {
    guard case .published(var save) = self else { return }
    save.isLate = true
    self = .published(save)
  }
}
