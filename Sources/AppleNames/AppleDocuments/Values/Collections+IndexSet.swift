public import Foundation

extension RangeReplaceableCollection where Self: MutableCollection, Index == Int {
  /// Removes the elements at these offsets, as SwiftUI's method for `onDelete` does.
  ///
  /// Cost: O(*n*), where *n* is the number of elements.
  public mutating func remove(atOffsets offsets: IndexSet) {
    for range in offsets.rangeView.reversed() { removeSubrange(range) }
  }
}

extension MutableCollection where Self: RangeReplaceableCollection, Index == Int {
  /// Moves the elements at these offsets, in their order, to the place before the element at `destination`.
  ///
  /// It is SwiftUI's method for `onMove`.
  ///
  /// Cost: O(*n*), where *n* is the number of elements.
  ///
  /// - Parameter destination: an offset of the collection before the move; `count` for the end.
  public mutating func move(fromOffsets source: IndexSet, toOffset destination: Int) {
    let moved = source.map { self[$0] }
    let before = source.count(in: startIndex..<Swift.max(startIndex, destination))
    remove(atOffsets: source)
    insert(contentsOf: moved, at: destination - before)
  }
}
