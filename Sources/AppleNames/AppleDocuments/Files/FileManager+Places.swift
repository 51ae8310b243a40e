import Documents
public import Foundation

extension FileManager {
  /// Moves an item to the trash of the desktop.
  ///
  /// It waits for the disk on the calling thread. File managers show the item and restore it.
  ///
  /// - Parameter resultingItemURL: the address of a variable that gets the item's place in the trash, or nil.
  /// - Throws: `CocoaError.featureUnsupported` if the environment names no home, and the errors of
  ///   `TrashLocation.moveIn(_:)`.
  public func trashItem(at url: URL, resultingItemURL: UnsafeMutablePointer<NSURL?>?) throws {
    guard let trash = TrashLocation() else { throw CocoaError(.featureUnsupported) }
    let entry = try waitBlocking { try await trash.moveIn(url) }
    resultingItemURL?.pointee = trash.url.appending(path: "files").appending(path: entry.name) as NSURL
  }

  /// Returns the folder that programs of one group share, and makes it if it is missing.
  ///
  /// It is `Group Containers/IDENTIFIER` in `$XDG_DATA_HOME`, which is `~/.local/share` by default. As on macOS, any
  /// program may name any group.
  ///
  /// - Returns: nil if the identifier is no file name, if the environment names no home, or if the folder cannot be
  ///   made.
  public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
    if groupIdentifier.isEmpty || groupIdentifier.hasPrefix(".") || groupIdentifier.contains("/") {
      return nil
    }
    guard let data = urls(for: .applicationSupportDirectory, in: .userDomainMask).first else { return nil }
    let folder = data.appending(path: "Group Containers").appending(
      path: groupIdentifier, directoryHint: .isDirectory)
    do {
      try createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      return nil  // Apple's method has no error either.
    }
    return folder
  }
}
