package import DurableIO
import Glibc

/// The time that a disk takes for a sync.
package enum Flushing: Sendable, Equatable {
  /// The disk's own time.
  case asItIs
  /// A longer time by this much, as on disks without a power-safe cache.
  case slower(by: Duration)
  /// No sync at all, so that a benchmark measures everything else.
  case leftOut
}

extension Flushing {
  /// Sleeps for most of the time, and spins for the rest, because a sleep alone ends some 60 µs late.
  fileprivate func wait() {
    guard case .slower(let delay) = self else { return }
    let end = ContinuousClock.now + delay
    let rest = Int((delay - .microseconds(200)) / .nanoseconds(1))
    if rest > 0 {
      var time = timespec(tv_sec: rest / 1_000_000_000, tv_nsec: rest % 1_000_000_000)
      nanosleep(&time, nil)
    }
    while ContinuousClock.now < end {}
  }
}

extension CountingDisk {
  /// Makes a disk whose syncs take longer, or do nothing.
  ///
  /// Callers on several threads wait at the same time, as if one flush of the device's cache served all of them.
  package init(_ base: any Disk, _ flushing: Flushing) {
    let syncing: Syncing = { (operation, sync) throws(SystemError) -> Void in
      if flushing == .leftOut { return }
      try sync()
      if operation != .startWriting { flushing.wait() }
    }
    self.init(base, syncing: flushing == .asItIs ? nil : syncing)
  }
}
