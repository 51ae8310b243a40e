import FilePackages
package import FoundationEssentials

/// The rules of a kind of packages whose content merges as a whole, such as documents with a database.
///
/// A container replaces no file of such a package. It gives both other states to the rules, which change the package as
/// one edit of any program, so that it may be open meanwhile. Equal content may have other bytes on each machine: the
/// sum tells.
package protocol ContentMerger: Sendable {
  /// Returns whether the package at `url` is of this kind.
  func merges(packageAt url: URL) throws -> Bool

  /// Brings all committed edits into the files that a container uploads.
  func settle(packageAt url: URL) async throws

  /// Returns a sum over the content, equal for equal content.
  func sum(ofPackageAt url: URL) async throws -> String

  /// Merges another state of a package into the one here, in one step that a crash leaves done or not done.
  ///
  /// A merge that was cut short can be repeated, with the same result.
  ///
  /// - Parameters:
  ///   - theirs: a private copy of the other state: the files of `StoreContent`, and the other files that changed
  ///     since the base.
  ///   - base: a private copy of the last state that both have seen: the files of `StoreContent`.
  ///   - url: the place of the package.
  /// - Throws: `UnmergeableContent` if the content cannot be merged; the package then is as before.
  func merge(_ theirs: URL, since base: URL, intoPackageAt url: URL) async throws -> MergedContent
}

/// The result of a merge of contents.
package struct MergedContent: Sendable, Hashable {
  /// The sum of the other state.
  package var theirSum: String
  /// Whether the package has the content of the other state now, and nothing else.
  package var isTheirs: Bool
  /// The number of new conflicts, which the package itself lists.
  package var conflicts: Int

  package init(theirSum: String, isTheirs: Bool, conflicts: Int) {
    (self.theirSum, self.isTheirs, self.conflicts) = (theirSum, isTheirs, conflicts)
  }
}

/// The reason why two contents are not merged. Nothing has changed then.
package struct UnmergeableContent: Error, Sendable, Hashable {
  /// The reason, for use within a sentence.
  package var reason: String

  package init(_ reason: String) { self.reason = reason }
}
