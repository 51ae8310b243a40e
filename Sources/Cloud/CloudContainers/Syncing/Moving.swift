import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

extension ContainerSession {
  /// Moves a document within the container folder; presenters follow it.
  ///
  /// - Returns: the name that it got: another one if a document has `name`.
  func move(_ document: LocalDocument, to name: String) async throws -> String {
    let old = try folder.url(of: document.name, isPackage: document.isPackage)
    let new = try folder.url(of: name, isPackage: document.isPackage)
    let coordinator = FileCoordinator()
    return try await coordinator.coordinate(
      writingItemAt: old, options: .forMoving, writingItemAt: new, options: []
    ) { old, _ in
      let moved = try await folder.location.moveIn(old, as: name)
      try await coordinator.item(at: old, didMoveTo: folder.url(of: moved, isPackage: document.isPackage))
      return moved
    }
  }
}

extension FolderScan {
  /// Looks for one document; nil if there is none of that name.
  static func document(_ name: String, in folder: ContainerFolder) throws -> LocalDocument? {
    let path = try folder.path(of: name)
    guard let last = path.lastComponent.map(FileName.init) else { return nil }
    let disk = folder.disk
    do throws(SystemError) {
      let status = try disk.status(of: last, in: disk.openDirectory(at: path.removingLastComponent()))
      guard status.kind == .file || status.kind == .directory else { return nil }
      return LocalDocument(name, status)
    } catch {
      if error.isAbsence { return nil }
      throw path.error(error, .read)
    }
  }
}
