import AppleDocuments
public import CloudContainers
import Documents
import Foundation
import Synchronization

/// The containers of this program, under the identifiers that Apple's calls name.
///
/// On a Mac, the system opens the containers that the program's entitlements name. Here the program opens a
/// `CloudContainer` and registers it. Without one, Apple's calls answer as on a Mac without an account.
///
/// The registry is global, because Apple's calls are those of `FileManager`. It takes calls from any thread.
public enum UbiquityContainers {
  struct Entry: Sendable {
    let identifier: String
    let container: CloudContainer
  }

  private static let entries = Mutex<[Entry]>([])
  private static let posts = DispatchQueue(label: "UbiquityContainers")

  /// The folder of a container that a query with the scope `NSMetadataQueryUbiquitousDocumentsScope` searches.
  ///
  /// All other documents of the container are data of the program.
  public static let documentsFolder = "Documents"

  /// Registers a container under an identifier, in place of an earlier one of that identifier.
  ///
  /// It makes the folder `Documents` in the container folder. The container that was registered first is also that of
  /// the identifier nil. From now on a `UIDocument` in the container folder downloads its content when it is opened.
  /// Posts `NSUbiquityIdentityDidChange` if `ubiquityIdentityToken` has another value now.
  ///
  /// It uploads and downloads nothing: that is the task of `CloudContainer.sync()` or `docpkg cloud sync --watch`.
  ///
  /// - Throws: the system's reason why the folder `Documents` could not be made.
  public static func register(_ container: CloudContainer, forIdentifier identifier: String) throws {
    try FileManager.default.createDirectory(
      at: documents(of: container), withIntermediateDirectories: true)
    change { entries in
      let new = Entry(identifier: identifier, container: container)
      if let index = entries.firstIndex(where: { $0.identifier == identifier }) {
        entries[index] = new
      } else {
        entries.append(new)
      }
    }
  }

  /// Removes a container from the registry; its documents stay. Without one of that identifier it does nothing.
  ///
  /// Posts `NSUbiquityIdentityDidChange` if `ubiquityIdentityToken` has another value now.
  public static func unregister(identifier: String) {
    change { entries in entries.removeAll { $0.identifier == identifier } }
  }

  /// Changes the entries, the providers of documents and the token together.
  private static func change(_ body: (inout [Entry]) -> Void) {
    let isNew = entries.withLock { entries in
      let old = entries
      body(&entries)
      for entry in old { DocumentProviders.remove(for: entry.container.url) }
      for entry in entries { DocumentProviders.add(entry.container, for: entry.container.url) }
      return token(of: old) != token(of: entries)
    }
    guard isNew else { return }
    // A post waits for an observer with a queue. So the caller's queue must not be the one that posts.
    posts.async { NotificationCenter.default.post(name: .NSUbiquityIdentityDidChange, object: nil) }
  }

  /// Waits until all notifications up to now are posted, for tests.
  package static func drainNotifications() { posts.sync {} }

  // MARK: Looking

  static var all: [Entry] { entries.withLock { $0 } }

  /// The container of an identifier; for nil the one that was registered first.
  static func container(for identifier: String?) -> CloudContainer? {
    all.first { identifier == nil || $0.identifier == identifier }?.container
  }

  /// The identity of the first container, which is the same on all machines; nil without one.
  static var token: String? { token(of: all) }

  private static func token(of entries: [Entry]) -> String? {
    entries.first?.container.session.settings.container
  }

  /// The folder of the documents of a container.
  static func documents(of container: CloudContainer) -> URL {
    container.url.appending(path: documentsFolder, directoryHint: .isDirectory)
  }

  /// The container of a place, and the name of the item there; nil outside all container folders.
  static func place(of url: URL) -> UbiquitousPlace? {
    for entry in all {
      if let name = try? entry.container.name(ofItemAt: url) {  // It throws for a place outside.
        return UbiquitousPlace(container: entry.container, name: name)
      }
    }
    return nil
  }
}

/// A place in the folder of a registered container.
struct UbiquitousPlace: Sendable {
  let container: CloudContainer
  /// The name in the container: a path with slashes.
  let name: String
}
