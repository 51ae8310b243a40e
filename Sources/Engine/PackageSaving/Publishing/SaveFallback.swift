/// A feature that a save did without, because the file system lacks it.
public enum SaveFallback: String, Sendable, Codable, CaseIterable {
  /// The file system cannot rename a file only if the new name is free.
  case noRenamingWithoutReplacing = "no renaming without replacing"
  /// The file system cannot exchange two files.
  case noExchanging = "no exchanging"
  /// The file system does not store permissions, so that a file has other permissions than it should have.
  case noModes = "no permissions of files"
  /// This process cannot read the attributes of a file that it replaces.
  case unreadableAttributes = "attributes that cannot be read"
}
