package import DurableIO

/// The publisher's decision about one node that a record puts.
///
/// A pure function of the node under the visible name and of the node in the staging folder. The table in
/// Docs/Saving.md, "Recovery", has one row for each outcome; `PublishVerdictTests` compares the two over all inputs.
package enum PublishVerdict: Sendable, Hashable {
  /// The visible name has the new node already.
  case done
  /// The new node gets the visible name, which is free.
  case place
  /// The new node and the one under the visible name change places.
  case exchange
  /// Another program changed the new node after it was published: that change stays.
  case leave
  /// No sign tells which came first: the other program's node stays, and the new one becomes a conflict version.
  case setAside

  /// The node under the visible name.
  package enum Visible: Sendable, Hashable, CaseIterable {
    case nothing
    /// The node that the record puts.
    case new
    /// The node that the save was made over.
    case old
    /// The new node's bytes with another mode or date.
    case newBytes
    case other
  }

  /// The node in the staging folder.
  package enum Staged: Sendable, Hashable, CaseIterable {
    case nothing
    /// The node that the record puts, whole.
    case new
    /// A part of the new node's bytes, and zeros for the rest.
    case remains
    /// The node that the save was made over.
    case old
    case other
  }

  /// - Parameter staged: looks at the node in the staging folder; not called if the verdict does not depend on it.
  package init(_ visible: Visible, staged: () throws(SystemError) -> Staged) throws(SystemError) {
    switch visible {
    case .new: self = .done
    case .newBytes: self = .leave
    case .nothing: self = .place
    case .old: self = .exchange
    case .other:
      switch try staged() {
      case .new, .remains: self = .exchange
      case .old: self = .leave
      case .nothing, .other: self = .setAside
      }
    }
  }
}
