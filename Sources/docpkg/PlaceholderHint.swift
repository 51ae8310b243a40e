import CloudContainers
import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import ObjectStores

/// Returns the command that brings the content of a document here, if an error did not find the document because only
/// its container has it; empty for other errors.
func placeholderHint(of error: any Error) async -> String {
  guard let error = (error as? DocumentError)?.fileError ?? error as? FilePackageError,
    error.code == .noSuchFile, error.child == nil
  else { return "" }
  // If the container's state cannot be read, the error itself has to do.
  guard (try? await isPlaceholder(error.document)) == true else { return "" }
  let path = FilePackageError.Wording.command.path(error.document)
  return " Its content is in the container: 'docpkg cloud download \(path)' brings it."
}

/// Returns whether a path is the place of a document whose content only the container has.
///
/// Asks the store for nothing.
private func isPlaceholder(_ path: String) async throws -> Bool {
  guard let folder = containerFolder(around: path), folder.path != absoluteURL(path).path else {
    return false
  }
  let container = try await CloudContainer.open(folder, in: MemoryStore())
  let record = try await container.session.placedIfAny(container.name(ofItemAt: absoluteURL(path)))
  return record.map { $0.base == nil } ?? false
}

/// Returns the container folder that a path is or is in; nil if there is none.
func containerFolder(around path: String) -> URL? {
  var folder = absoluteURL(path)
  while true {
    if isContainerFolder(folder) { return folder }
    let parent = folder.deletingLastPathComponent().standardized
    if parent.path == folder.path || folder.path == "/" { return nil }
    folder = parent
  }
}

/// Returns whether a folder is a container folder itself.
func isContainerFolder(_ folder: URL) -> Bool {
  FileManager.default.fileExists(atPath: folder.appending(path: ContainerFolder.hidden.string).path)
}
