/// The documents of a container, and the other items in its folder, as one scan finds them.
public struct ContainerListing: Sendable {
  /// The documents, by name.
  public internal(set) var items: [CloudItem] = []
  /// The items in the container folder that are not documents, such as links, each with the reason.
  public internal(set) var leftOut: [String] = []
  /// The number of items in the container folder that its file `.docpkgignore` excludes, and of temporary files.
  ///
  /// An ignored folder counts as one item. Documents that the container has are never ignored.
  public internal(set) var ignored = 0
}
