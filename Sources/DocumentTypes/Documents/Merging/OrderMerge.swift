/// The merged order of elements that two sides added, removed and moved.
package struct OrderMerge<Element: Hashable & Sendable>: Sendable {
  /// The elements that stay, in order.
  package private(set) var elements: [Element]
  /// Whether both sides moved common elements in different ways; the result then has our order.
  package private(set) var isConflict: Bool

  /// Merges the order of the elements that stay.
  ///
  /// O(n) for n elements.
  ///
  /// An element follows the nearest element before it on its own side.
  ///
  /// - Parameters:
  ///   - staying: the elements of the result; each occurs in `ours` or in `theirs`, and no side has an element twice.
  package init(base: [Element], ours: [Element], theirs: [Element], staying: Set<Element>) {
    let common = Set(base).intersection(ours).intersection(theirs)
    let (before, own, others) = (
      base.filter(common.contains), ours.filter(common.contains), theirs.filter(common.contains)
    )
    isConflict = own != others && own != before && others != before
    let (leading, following) = own != before ? (ours, theirs) : (theirs, ours)
    let isLeading = Set(leading)
    // The elements that only the other side has, by the element before them.
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
