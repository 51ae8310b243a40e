package import Documents
import Foundation
import Synchronization

/// The places that bring documents here before a `UIDocument` reads them, by their folders.
///
/// The registry is global, because `UIDocument` has no options. `AppleCloud` fills it.
package enum DocumentProviders {
  private static let providers = Mutex<[String: any DocumentProvider]>([:])

  /// Makes a place that of all documents beneath a folder.
  package static func add(_ provider: any DocumentProvider, for folder: URL) {
    providers.withLock { $0[folder.standardized.path] = provider }
  }

  /// Ends the providing for a folder.
  package static func remove(for folder: URL) {
    providers.withLock { $0[folder.standardized.path] = nil }
  }

  /// Returns the place that has the document at a URL: that of the innermost folder; nil if none has it.
  static func provider(of url: URL) -> (any DocumentProvider)? {
    let path = url.standardized.path
    return providers.withLock { providers in
      let around = providers.keys.filter { path.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
      return around.max { $0.utf8.count < $1.utf8.count }.flatMap { providers[$0] }
    }
  }

  /// Downloads the placeholders whose contents these accesses read.
  ///
  /// - Throws: the reason of the place that has the document.
  static func bringHere(_ intents: [FileAccessIntent]) async throws {
    for intent in intents where intent.readsContents {
      try await provider(of: intent.url)?.provide(itemAt: intent.url) { _, _ in }
    }
  }

  /// The same on the calling thread, which waits. Costs next to nothing outside of registered folders.
  static func bringHereBlocking(_ intents: [FileAccessIntent]) throws {
    guard intents.contains(where: { $0.readsContents && provider(of: $0.url) != nil }) else { return }
    try waitBlocking { try await bringHere(intents) }
  }
}
