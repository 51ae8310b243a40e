import FilePackages

/// A content whose edits are not undone by the document, but by its own undo manager.
package protocol SelfUndoingContent {}

/// Finds the folders of file wrappers that a content refers to.
///
/// It looks into properties, optionals, tuples, collections, structures and enumerations, but not into other classes.
///
/// Cost: nothing for a content whose type holds no wrapper, whatever its size. Otherwise all values whose types may
/// hold one.
struct TreeFinder: Sendable {
  private var types = HolderTypes()

  mutating func folders(in content: Any) -> [FileWrapper] {
    if content is any SelfUndoingContent { return [] }
    var found: [FileWrapper] = []
    find(in: content, &found)
    return found
  }

  private mutating func find(in value: Any, _ found: inout [FileWrapper]) {
    guard types.mayHold(type(of: value)) else { return }
    if let wrapper = value as? FileWrapper {
      if wrapper.isDirectory && !found.contains(where: { $0 === wrapper }) { found.append(wrapper) }
      return
    }
    for child in Mirror(reflecting: value).children { find(in: child.value, &found) }
  }
}
