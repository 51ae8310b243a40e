package import CloudContainers
import CommandSupport
import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import ImageNotes
package import ObjectStores
import Synchronization

/// A container folder on this machine, with its store.
package struct CloudFolder {
  package let container: CloudContainer
  private let store: CountingStore

  /// The calls of the store so far.
  var traffic: StoreTraffic { store.traffic }

  /// Opens the container folder at a path, or the one that has the path in it.
  ///
  /// - Parameters:
  ///   - progress: shows the calls of the store on a terminal.
  ///   - limits: the limits of the requests to a service.
  package static func open(
    at path: String, _ progress: TransferProgress? = nil, _ limits: TransferLimits? = nil
  ) async throws -> CloudFolder {
    let folder = try find(around: path)
    let (address, options) = try CloudContainer.settings(of: folder)
    let opened = Opened()
    let store = CountingStore(try StoreAddress(address, options).open(limits)) { traffic in
      progress?.show(traffic, opened.transfers.withLock { $0?.documents })
    }
    _ = UTType.imageNotes  // The access declares the type, so that a folder of it is one document.
    let container = try await CloudContainer.open(folder, in: RetryingStore(store))
    opened.transfers.withLock { $0 = container.session.transfers }
    return CloudFolder(container: container, store: store)
  }

  /// The progress that the calls of a store show, when its container is open.
  private final class Opened: Sendable {
    let transfers = Mutex<Transfers?>(nil)
  }

  /// Returns the path of the container folder that a path is or is in.
  static func root(around path: String) throws -> String { try find(around: path).path }

  /// Finds the container folder that a path is or is in.
  private static func find(around path: String) throws -> URL {
    if let folder = containerFolder(around: path) { return folder }
    throw InputError(
      description:
        "'\(display(path))' is in no folder of a container. 'docpkg cloud init' makes a container, and 'docpkg cloud "
        + "add' adds a folder to one.")
  }

  /// Returns the container folders that paths are or are in, in order, each with its paths.
  package static func roots(of paths: [String]) throws -> [(root: String, paths: [String])] {
    var roots: [(root: String, paths: [String])] = []
    for path in paths {
      let root = try root(around: path)
      if let index = roots.firstIndex(where: { $0.root == root }) {
        roots[index].paths.append(path)
      } else {
        roots.append((root, [path]))
      }
    }
    return roots
  }

  /// Returns the documents that paths name, each with its path: a document, all of a folder, or those of a pattern.
  ///
  /// - Parameter names: the names of all documents. A path that names none of them stands for itself.
  package func documents(at paths: [String], among names: [String]) throws -> [String: String] {
    let all = Set(names)
    var places: [String: String] = [:]
    for path in paths {
      let isRoot = isContainerFolder(url(path))
      let own = isRoot ? "" : try name(ofItemAt: path)
      if all.contains(own) {
        places[own] = path
        continue
      }
      let found = names.filter {
        isRoot || $0.hasPrefix(own + "/") || matches($0, pattern: own, FNM_PATHNAME)
      }
      if found.isEmpty, !isRoot { places[own] = path }
      // The words of the user lead to the folder.
      let base = String(path.reversed().drop { $0 == "/" }.reversed())
      let folder = isRoot ? base + "/" : base.hasSuffix(own) ? String(base.dropLast(own.count)) : ""
      for name in found { places[name] = places[name] ?? folder + name }
    }
    return places
  }

  /// Returns the name in the container of the document at a path.
  package func name(ofItemAt path: String) throws -> String {
    try container.name(ofItemAt: absoluteURL(path))
  }
}
