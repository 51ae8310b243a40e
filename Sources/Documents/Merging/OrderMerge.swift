/// The order of things that two sides added, removed and moved.
public struct OrderMerge<Element: Hashable & Sendable>: Sendable {
  /// Those that stay, in order.
  public private(set) var elements: [Element]
  /// Whether both sides moved what was there before, in different ways; then it is our order.
  public private(set) var isConflict: Bool

  /// Puts together the order of the elements that stay. An element stands behind the nearest one before it that it
  /// stood behind on its side. O(n) for n elements.
  ///
  /// - Parameters:
  ///   - staying: which elements the result has; each is in `ours` or in `theirs`, and none is there twice.
  public init(base: [Element], ours: [Element], theirs: [Element], staying: Set<Element>) {
    let common = Set(base).intersection(ours).intersection(theirs)
    let (before, own, others) = (
      base.filter(common.contains), ours.filter(common.contains), theirs.filter(common.contains)
    )
    isConflict = own != others && own != before && others != before
    let (leading, following) = own != before ? (ours, theirs) : (theirs, ours)
    let isLeading = Set(leading)
    // What only the other side has, by what it stands behind.
    var followers: [Element?: [Element]] = [:]
    var previous: Element?
    for element in following {
      if isLeading.contains(element) {
        previous = element
      } else {
        followers[previous, default: []].append(element)
      }
    }
    elements = (followers[nil] ?? []).filter(staying.contains)
    for element in leading {
      if staying.contains(element) { elements.append(element) }
      elements += (followers[element] ?? []).filter(staying.contains)
    }
  }
}
