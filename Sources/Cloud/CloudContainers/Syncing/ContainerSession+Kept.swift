import Documents
import FilePackages
import FoundationEssentials

// The hidden folder of a document stays on its machine. A version names what the folder keeps, so that other machines
// can list it.

extension ContainerSession {
  /// Returns the names of the newest versions that a document here keeps, the newest first.
  ///
  /// None if they cannot be read at the moment: the document goes to the container all the same, and the next version of
  /// this machine has the names.
  func keptVersions(of local: LocalDocument?) async -> [KeptVersionName] {
    guard let local, local.isPackage, !isRehearsal,
      let kept = try? await versions(of: local)  // `verify` reports a damaged history.
    else { return [] }
    return Array(kept.lazy.compactMap { KeptVersionName($0) }.prefix(KeptVersionName.maximumCount))
  }

  private func versions(of local: LocalDocument) async throws -> [PackageMetadata] {
    let url = try folder.url(of: local.name, isPackage: true)
    let history = PackagePath([PackageLayout.hidden, PackageLayout.history])
    guard FileManager.default.fileExists(atPath: url.path + "/" + history.string) else { return [] }
    return try await PackageStore.reading(at: url) { try await $0.versions().map(\.metadata) }
  }
}
