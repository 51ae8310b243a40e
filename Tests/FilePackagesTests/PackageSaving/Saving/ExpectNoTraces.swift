import DurableIO
import FilePackages
import SystemPackage
import TestSupport
import Testing

/// Expects only the permitted files in the hidden folder of a store that was closed or whose save failed.
///
/// Another program's package then has no such folder; a package of this library has a log in it.
func expectNoTraces(
  in path: FilePath, on disk: any Disk, _ comment: Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let names = try disk.names(in: path)
  if !names.contains("Metadata.plist") {
    #expect(!names.contains(".docpkg"), comment, sourceLocation: sourceLocation)
  } else if names.contains(".docpkg") {
    let hidden = try namesBesideLog(in: path, on: disk)
    #expect(hidden == [], comment, sourceLocation: sourceLocation)
  }
}

/// Returns the names in a hidden folder without those that stay with a log of published saves.
func namesBesideLog(in path: FilePath, on disk: any Disk) throws -> [String] {
  let hidden = path.appending(".docpkg")
  let names = try disk.names(in: hidden)
  guard names.contains("log"), try SaveLog.isClean(in: disk.openDirectory(at: hidden), on: disk)
  else { return names }
  let isEmpty = try names.contains("tmp") && disk.names(in: hidden.appending("tmp")).isEmpty
  return names.filter { $0 != "log" && $0 != "lock" && ($0 != "tmp" || !isEmpty) }
}

extension PackagePicture {
  /// The document alone, without the library's hidden folder.
  var natural: PackagePicture {
    var picture = self
    picture.entries = entries.filter { $0.key != ".docpkg" && !$0.key.hasPrefix(".docpkg/") }
    return picture
  }

  /// Returns the picture without the dates of these places.
  func undated(_ places: String...) -> PackagePicture {
    var picture = self
    for place in places { picture.entries[place]?.modified = FileTime(seconds: 0, nanoseconds: 0) }
    return picture
  }
}

extension TestTree {
  /// A package's own children, without the library's files.
  var withoutOurs: TestTree {
    .directory(entries.filter { $0.key != "Metadata.plist" && $0.key != ".docpkg" })
  }
}
