/// A merge by line of two texts with a common origin, as `diff3` makes it.
///
/// - If only one side changed lines, the result has that change. The same change on both sides is one change.
/// - If both sides changed the same or adjacent lines in different ways, there is a conflict, which holds the lines of
///   all three texts.
/// - Lines are compared by their bytes, with line ends. A line with a new end has changed, and so has a last line that
///   got an end. No character is divided.
/// - If many lines are equal, another program may match other lines, and see another change in the same texts. No match
///   loses a line that only one side has.
///
/// The result depends only on the three texts. `LineDifference` has the cost. After `effort` steps, it may join large
/// changes.
///
/// ```swift
/// let merge = ThreeWayMerge(base: base, ours: mine, theirs: onDisk)
/// if merge.conflicts.isEmpty { text = merge.text() }
/// ```
public struct ThreeWayMerge: Sendable, Hashable {
  /// The lines of a conflict in the three texts.
  ///
  /// Each part may be empty, for removed or new lines.
  public struct Conflict: Sendable, Hashable {
    /// The lines of the common origin.
    public var base: String
    /// The lines of our side.
    public var ours: String
    /// The lines of the other side.
    public var theirs: String
    /// The first of these lines in `base`, counted from 0.
    public var baseLine: Int

    /// Makes a conflict.
    public init(base: String, ours: String, theirs: String, baseLine: Int) {
      (self.base, self.ours, self.theirs, self.baseLine) = (base, ours, theirs, baseLine)
    }
  }

  /// A stretch of the result.
  package enum Part: Sendable, Hashable {
    /// Lines without a conflict.
    case merged(String)
    /// Lines to decide.
    case conflict(Conflict)
  }

  /// The lines that the result has for a conflict.
  public enum Choice: Sendable, Hashable {
    /// The lines of one side.
    case ours, theirs
    /// Our lines and then theirs.
    case both
    /// The lines of all three texts, between the marks of `git merge-file --diff3` with these names.
    case marked(ours: String, base: String, theirs: String)
  }

  /// The parts of the result in order; no two merged parts follow each other.
  package private(set) var parts: [Part] = []

  /// The usual number of steps after which a comparison takes a simpler way.
  package static let usualEffort = 50_000_000

  /// Merges two texts.
  public init(base: String, ours: String, theirs: String) {
    self.init(base: base, ours: ours, theirs: theirs, effort: Self.usualEffort)
  }

  package init(base: String, ours: String, theirs: String, effort: Int) {
    let (base, ours, theirs) = (
      TextLines(Array(base.utf8)), TextLines(Array(ours.utf8)), TextLines(Array(theirs.utf8))
    )
    var known: [ArraySlice<UInt8>: Int] = [:]
    let regions = MergeRegion.regions(
      base: base.numbers(&known), ours: ours.numbers(&known), theirs: theirs.numbers(&known), effort: effort)
    var merged: [UInt8] = []
    func flush() {
      if !merged.isEmpty { parts.append(.merged(String(decoding: merged, as: UTF8.self))) }
      merged = []
    }
    for region in regions {
      switch region.kind {
      case .same, .ours, .both: merged += ours.bytes(of: region.ours)
      case .theirs: merged += theirs.bytes(of: region.theirs)
      case .conflict:
        flush()
        parts.append(
          .conflict(
            Conflict(
              base: base.text(of: region.base), ours: ours.text(of: region.ours),
              theirs: theirs.text(of: region.theirs), baseLine: region.base.lowerBound)))
      }
    }
    flush()
  }

  /// The conflicts to decide, in order.
  public var conflicts: [Conflict] {
    parts.compactMap { if case .conflict(let conflict) = $0 { conflict } else { nil } }
  }

  /// Returns the result, with the chosen lines in all conflicts; by default our lines.
  public func text(_ choice: Choice = .ours) -> String {
    parts.map { part in
      switch part {
      case .merged(let text): text
      case .conflict(let conflict): conflict.text(choice)
      }
    }.joined()
  }
}

extension ThreeWayMerge.Conflict {
  fileprivate func text(_ choice: ThreeWayMerge.Choice) -> String {
    switch choice {
    case .ours: return ours
    case .theirs: return theirs
    case .both: return Self.ended(ours) + theirs
    case .marked(let oursName, let baseName, let theirsName):
      let bar = { (mark: Character, name: String) in
        String(repeating: mark, count: 7) + (name.isEmpty ? "" : " " + name) + "\n"
      }
      return bar("<", oursName) + Self.ended(ours) + bar("|", baseName) + Self.ended(base) + bar("=", "")
        + Self.ended(theirs) + bar(">", theirsName)
    }
  }

  /// Returns the lines with an end, so that a line can follow.
  private static func ended(_ lines: String) -> String {
    // The bytes are compared, because both ends together are one character.
    let isEnded = lines.utf8.last.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? true
    return isEnded ? lines : lines + "\n"
  }
}

extension TextLines {
  fileprivate func text(of lines: Range<Int>) -> String {
    String(decoding: bytes(of: lines), as: UTF8.self)
  }
}
