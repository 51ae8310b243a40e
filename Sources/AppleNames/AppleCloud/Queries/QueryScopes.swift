import CloudContainers
import Documents
import Foundation

/// The places that the scopes of a query name.
struct QueryScopes {
  private var includesDocuments = false
  private var includesData = false
  /// The folders that no container has taken.
  private(set) var folders: [URL] = []

  /// A search in one container.
  struct Search: Sendable {
    var folders: [URL]
    var container: CloudContainer
    var accepts: @Sendable (DocumentItem) -> Bool

    /// Returns whether the search finds an item, so that the search of a folder around the container leaves it out.
    func finds(_ item: DocumentItem) -> Bool {
      guard folders.contains(where: { item.path.hasPrefix($0.standardized.path + "/") }), accepts(item) else {
        return false
      }
      let name = String(item.path.dropFirst(container.url.standardized.path.count + 1))
      // If that cannot be found out, the item is better there twice than not at all.
      return (try? container.session.ignores(name)) == false
    }
  }

  /// - Parameter scopes: constants, URLs and paths; without one, the documents and the data of all containers.
  init(_ scopes: [Any]) {
    if scopes.isEmpty { (includesDocuments, includesData) = (true, true) }
    for scope in scopes {
      switch scope {
      case let name as String: add(name)
      case let url as URL: folders.append(url)
      case let item as NSMetadataItem: folders.append(item.item.url)
      default: break
      }
    }
  }

  private mutating func add(_ name: String) {
    switch name {
    case NSMetadataQueryUbiquitousDocumentsScope: includesDocuments = true
    case NSMetadataQueryUbiquitousDataScope: includesData = true
    case NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope: break
    case NSMetadataQueryUserHomeScope: folders.append(FileManager.default.homeDirectoryForCurrentUser)
    default: if name.hasPrefix("/") { folders.append(URL(filePath: name, directoryHint: .isDirectory)) }
    }
  }

  /// Returns the search for the part of the scopes in a container, and takes that part out; nil if there is none.
  mutating func takeSearch(in container: CloudContainer) -> Search? {
    let root = container.url.standardized.path
    let documents = UbiquityContainers.documents(of: container)
    let inner = folders.filter { url in
      let path = url.standardized.path
      return path == root || path.hasPrefix(root + "/")
    }
    folders.removeAll { inner.contains($0) }
    let places = inner.map { $0.standardized.path } + (includesDocuments ? [documents.standardized.path] : [])
    if places.isEmpty && !includesData { return nil }
    guard includesData else {
      let folders = inner + (includesDocuments ? [documents] : [])
      return Search(folders: folders, container: container) { _ in true }
    }
    let prefix = documents.standardized.path + "/"
    return Search(folders: [container.url], container: container) { item in
      !item.path.hasPrefix(prefix) || places.contains { item.path.hasPrefix($0 + "/") }
    }
  }
}
