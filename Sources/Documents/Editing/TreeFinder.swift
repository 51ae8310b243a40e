import FilePackages

/// Finds the folders of file wrappers that a content refers to.
///
/// It looks into properties, optionals, tuples, collections, structures and enumerations, but not into other classes.
///
/// Cost: nothing for a content that says so, or whose type holds no wrapper, whatever its size. Otherwise all values whose types may
/// hold one.
struct TreeFinder: Sendable {
  private var types = HolderTypes()

  mutating func folders<Content: DocumentContent>(in content: Content) -> Set<FileWrapper> {
    guard Content.holdsFolders else { return [] }
    var found: Set<FileWrapper> = []
    // A list instead of a recursion, since values may be nested deeply.
    var left: [Any] = [content]
    while let value = left.popLast() {
      guard types.mayHold(type(of: value)) else { continue }
      if let wrapper = value as? FileWrapper {
        if wrapper.isDirectory { found.insert(wrapper) }
      } else {
        left += Mirror(reflecting: value).children.map(\.value)
      }
    }
    return found
  }
}
