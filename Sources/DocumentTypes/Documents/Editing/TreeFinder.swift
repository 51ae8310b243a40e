import FilePackages

/// Finds the folders of file wrappers that a content refers to.
///
/// It looks into properties, optionals, tuples, collections, structures and enumerations, but not into other classes.
///
/// Cost: nothing for a content that says so, and next to nothing for one of plain types, whatever its size. Otherwise
/// the finder looks at all values of other types, which takes some microseconds for each.
struct TreeFinder: Sendable {
  private var plainTypes = PlainTypes()

  mutating func folders<Content: DocumentContent>(in content: Content) -> Set<FileWrapper> {
    guard Content.holdsFolders else { return [] }
    var found: Set<FileWrapper> = []
    // A list instead of a recursion, since values may be nested deeply.
    var left: [Any] = [content]
    while let value = left.popLast() {
      if plainTypes.contains(typeOf: value) { continue }
      if let wrapper = value as? FileWrapper {
        if wrapper.isDirectory { found.insert(wrapper) }
      } else {
        left += Mirror(reflecting: value).children.map(\.value)
      }
    }
    return found
  }
}
