import DurableIO
import FilePackages
import FoundationEssentials
package import SystemPackage

/// The meaning of a folder: one document, or a library of documents.
///
/// The first rule that applies decides:
///
/// 1. A folder with the extension of a package type is a package, and so is one with this library's hidden folder and
///    `Metadata.plist`. With an extension, one of the two is enough.
/// 2. A folder whose `Metadata.plist` is this library's is a package.
/// 3. A folder with documents beneath it is a library.
/// 4. A folder with an extension or a `Metadata.plist` is a package of another program.
/// 5. Every other folder is a library.
package enum FolderKind: Sendable {
  /// One document.
  case package
  /// A folder of documents, which may be empty.
  case library

  /// Returns the kind of the folder at `path`; nil if no folder is there, or if this process cannot open it. Follows
  /// symbolic links.
  ///
  /// Cost: a few system calls. For a folder with an extension or a `Metadata.plist` that no earlier rule knows, a search
  /// up to the first document.
  ///
  /// - Parameter packages: extensions of packages, beside those of known types.
  package static func of(_ path: FilePath, packages: Set<String> = []) async -> FolderKind? {
    guard let signs = FolderSigns(ofFolderAt: path) else { return nil }
    if signs.showPackage(packages) || signs.hasOwnMetadata { return .package }
    guard signs.hasExtension || signs.hasMetadata else { return .library }
    return await DocumentSearch(beneath: path, packages: packages).findsAny() ? .library : .package
  }
}

extension DocumentSearch {
  /// Makes a search for the packages beneath a folder.
  ///
  /// - Parameter packages: extensions of packages, beside those of known types.
  package init(beneath folder: FilePath, packages: Set<String>) {
    self.init(in: [URL(filePath: FileName(folder).string)], for: [.package, .bundle], sortedBy: .name)
    packageExtensions = packages
  }

  /// Returns whether there is a document; the search ends with the first one.
  fileprivate func findsAny() async -> Bool {
    let query = DocumentQuery(self, watching: false)
    query.start()
    var finds = false
    for await update in query {
      if case .gathered(let items) = update { finds = !items.isEmpty }
      if case .finishedGathering = update { break }
      if finds { break }
    }
    await query.stop()
    return finds
  }
}
