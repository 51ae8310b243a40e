import DurableIO
import FilePackages
import SystemPackage
import TestSupport
import Testing

/// The two ways to save a package that is there already.
enum SavingWay: CaseIterable, Sendable {
  case journaled, staged

  var options: PackageStore.SavingOptions { self == .staged ? .staged : [] }
}

/// What a store that is closed, or whose save failed, may leave in the hidden folder: nothing in a package of
/// another program's, where there is no such folder then, and the manifest in one of ours.
func expectNoTraces(
  in path: FilePath, on disk: any Disk, _ comment: Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let names = try disk.names(in: path)
  if !names.contains("Metadata.plist") {
    #expect(!names.contains(".docpkg"), comment, sourceLocation: sourceLocation)
  } else if names.contains(".docpkg") {
    let hidden = try disk.names(in: path.appending(".docpkg"))
    #expect(hidden == ["manifest"], comment, sourceLocation: sourceLocation)
  }
}

extension PackagePicture {
  /// The document alone, without the library's hidden folder.
  var natural: PackagePicture {
    var picture = self
    picture.entries = entries.filter { $0.key != ".docpkg" && !$0.key.hasPrefix(".docpkg/") }
    return picture
  }

  /// The same with the dates of these places put aside.
  func undated(_ places: String...) -> PackagePicture {
    var picture = self
    for place in places { picture.entries[place]?.modified = FileTime(seconds: 0, nanoseconds: 0) }
    return picture
  }
}

extension TestTree {
  /// A package's own children, without what is the library's.
  var withoutOurs: TestTree {
    .directory(entries.filter { $0.key != "Metadata.plist" && $0.key != ".docpkg" })
  }
}
