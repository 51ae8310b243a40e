extension FileWrapper: Hashable {
  /// Returns whether both are the same object, as for Apple's class. `hasSameContents(as:)` compares contents.
  public static func == (left: FileWrapper, right: FileWrapper) -> Bool { left === right }

  /// Hashes the identity of the wrapper.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
