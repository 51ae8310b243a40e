/// The permissions of a node in a merge.
package struct MergeMode: Sendable, Hashable {
  /// The permission bits.
  package var bits: UInt16
  /// Whether the bits came from a disk, or a program chose them.
  ///
  /// Otherwise the process's umask applies to the bits, and only the executable bit of the owner is known.
  package var isExact: Bool

  package init(_ bits: UInt16, isExact: Bool = true) {
    (self.bits, self.isExact) = (bits, isExact)
  }

  /// Merges permissions: each bit that one side gave or took is so in the result.
  ///
  /// If a bit differs, one side has the base's. So the other side changed it, and two sides never disagree.
  ///
  /// - Parameter base: the permissions of the common base. If it has none, the result has each bit of either side.
  init(base: MergeMode?, ours: MergeMode, theirs: MergeMode) {
    // Neither side has precedence (PM4).
    let own = ours.completed(from: [base, theirs])
    let other = theirs.completed(from: [base, ours])
    let given = (own.bits ^ other.bits) & ~(base?.bits ?? 0)
    self.init(own.bits & other.bits | given, isExact: own.isExact || other.isExact)
  }

  private var isExecutable: Bool { bits & 0o100 != 0 }

  /// Returns the permissions with the unknown bits of the first known ones.
  private func completed(from known: [MergeMode?]) -> MergeMode {
    guard !isExact, var mode = known.compactMap({ $0 }).first(where: \.isExact) else { return self }
    if isExecutable && !mode.isExecutable {
      // Each user that may read the file may also execute it.
      mode.bits |= (mode.bits & 0o444) >> 2
    } else if !isExecutable {
      mode.bits &= ~0o111
    }
    return mode
  }
}
