import CloudContainers
import DurableIO
import FilePackages
import FoundationEssentials
import ObjectStores
import Synchronization

/// A container folder on this machine, with its store.
struct CloudFolder {
  let container: CloudContainer
  private let store: CountingStore

  /// The calls of the store so far.
  var traffic: StoreTraffic { store.traffic }

  /// Opens the container folder at a path, or the one that has the path in it.
  ///
  /// - Parameter progress: shows the calls of the store on a terminal.
  static func open(at path: String, _ progress: Throughput? = nil) async throws -> CloudFolder {
    let folder = try find(around: path)
    let (address, options) = try CloudContainer.settings(of: folder)
    let opened = Opened()
    let store = CountingStore(try StoreAddress(address, options).open()) { traffic in
      progress?.show(traffic, opened.transfers.withLock { $0?.sum })
    }
    let container = try await CloudContainer.open(folder, in: RetryingStore(store))
    opened.transfers.withLock { $0 = container.session.transfers }
    return CloudFolder(container: container, store: store)
  }

  /// The progress that the calls of a store show, when its container is open.
  private final class Opened: Sendable {
    let transfers = Mutex<Transfers?>(nil)
  }

  /// Whether a path is a container folder itself.
  static func isContainerFolder(_ path: String) -> Bool { docpkg.isContainerFolder(url(path)) }

  /// Finds the container folder that a path is or is in.
  private static func find(around path: String) throws -> URL {
    if let folder = containerFolder(around: path) { return folder }
    throw InputError(
      description:
        "'\(display(path))' is in no folder of a container. 'docpkg cloud init' makes a container, and 'docpkg cloud "
        + "add' adds a folder to one.")
  }

  /// Returns the name in the container of the document at a path.
  func name(ofItemAt path: String) throws -> String { try container.name(ofItemAt: absoluteURL(path)) }
}
