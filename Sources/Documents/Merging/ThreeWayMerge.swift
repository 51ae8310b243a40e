/// Two texts that were made from one, put together by line, as `diff3` does.
///
/// - What only one side changed is as that side has it; the same change on both sides is one change.
/// - Where both changed the same lines, or lines that stand next to each other, in different ways, there is a
///   conflict, whose lines are kept from all three texts.
/// - Lines are compared by their bytes, line ends included: a line whose end changed has changed, and so has a last line that
///   got one. No character is divided.
/// - Which lines count as the same where many are equal is a matter of choice; another program may see another
///   change in the same texts. No choice loses a line that only one side has.
///
/// A pure function of its three texts. It costs O((n + d²)) steps for n lines and d changes until `effort` is spent, and
/// O(n log n) then, where large changes may be taken together as one; memory is O(n), always.
///
/// ```swift
/// let merge = ThreeWayMerge(base: base, ours: mine, theirs: onDisk)
/// if merge.conflicts.isEmpty { text = merge.text() }
/// ```
public struct ThreeWayMerge: Sendable, Hashable {
  /// The same lines as the three texts have them. Each part may be empty, where lines were removed or there were
  /// none before.
  public struct Conflict: Sendable, Hashable {
    /// The lines of the text that both were made from.
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
  public enum Part: Sendable, Hashable {
    /// What nobody changed, or what the changes come to.
    case merged(String)
    /// What has to be decided.
    case conflict(Conflict)
  }

  /// What stands in the result where there is a conflict.
  public enum Choice: Sendable, Hashable {
    /// The lines of one side.
    case ours, theirs
    /// Our lines and then theirs.
    case both
    /// All three, between the marks that programs for merging know, as `git merge-file --diff3` writes them.
    case marked(ours: String, base: String, theirs: String)
  }

  /// The result in order; no two merged parts follow each other.
  public private(set) var parts: [Part] = []

  /// Steps after which a difference is searched for in a simpler way: about a second.
  public static let usualEffort = 50_000_000

  /// Merges two texts.
  public init(base: String, ours: String, theirs: String, effort: Int = usualEffort) {
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

  /// What has to be decided, in order.
  public var conflicts: [Conflict] {
    parts.compactMap { if case .conflict(let conflict) = $0 { conflict } else { nil } }
  }

  /// The result, with that choice in all conflicts; by default our lines.
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

  /// The lines, so that another one can follow.
  private static func ended(_ lines: String) -> String {
    // A character for both, so that the suffix is looked for by bytes.
    let isEnded = lines.utf8.last.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? true
    return isEnded ? lines : lines + "\n"
  }
}

extension TextLines {
  fileprivate func text(of lines: Range<Int>) -> String {
    String(decoding: bytes(of: lines), as: UTF8.self)
  }
}
