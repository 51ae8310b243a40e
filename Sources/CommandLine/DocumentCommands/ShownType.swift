import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import ImageNotes

extension UTType {
  /// Returns the type of a document as all commands show it: the type that its name tells, or else that of its
  /// metadata.
  ///
  /// If neither tells a type, the result is a general one. The identifier of a dynamic type would tell users nothing.
  static func shown(_ named: UTType, metadata: UTType? = nil, isPackage: Bool) -> UTType {
    let isGeneral = named.isDynamic || [.package, .folder, .directory, .data, .item].contains(named)
    return isGeneral ? metadata ?? (isPackage ? .package : .data) : named
  }
}

extension PackageStore {
  /// The type of the package as all commands show it.
  var shownContentType: UTType {
    get throws {
      _ = UTType.imageNotes  // The access declares the type.
      let named = UTType(filename: url.lastPathComponent, isDirectory: true)
      return .shown(named, metadata: try metadata()?.contentType, isPackage: true)
    }
  }
}
