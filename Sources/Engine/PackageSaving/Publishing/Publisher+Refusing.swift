import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

// The changes of a record that the file system refuses for good.
extension Publisher {
  /// A change that the file system refuses.
  struct Refusal {
    let error: FilePackageError
    /// The name, among the staged files, of the node that did not get its visible name; nil if the change puts none, or
    /// if the node is not made.
    let staged: FileName?
  }

  /// Notes a change that the file system refuses, or ends the publishing.
  mutating func refuse(
    _ error: SystemError, _ change: Change, _ activity: String, staged: FileName? = nil
  ) throws(FilePackageError) {
    let failure = FilePackageError(error, .save, node(change.path), activity: activity)
    guard skipsRefused && error.code.isRefusal else { throw failure }
    refused[change.path] = Refusal(error: failure, staged: staged)
  }

  /// Returns the name, among the staged files, of the node of a change that the file system refuses; nil if it puts none.
  mutating func stagedRefused(_ change: Change) throws(FilePackageError) -> FileName? {
    guard change.puts, let refusal = refused[change.path] else { return nil }
    var change = change
    return if let known = refusal.staged { known } else { try prepare(&change) }
  }

  /// Makes a staged node a conflict version, under a name that every file system takes.
  ///
  /// - Returns: its path in the package.
  mutating func keepRefused(_ source: FileName, of path: PackagePath) throws(FilePackageError) -> PackagePath
  {
    let portable = path.portable
    try moveToConflicts(source, of: portable, isOurs: true)
    return PackagePath([PackageLayout.hidden] + conflictFolder.names + portable.names)
  }
}

extension FilePackageError {
  /// Whether a change of names failed because of these names or their folders, and will fail the next time.
  var isRefusal: Bool { systemErrorNumber.map { Errno(rawValue: $0).isRefusal } ?? false }
}

extension PackagePath {
  /// The path with names that every file system takes.
  fileprivate var portable: PackagePath { PackagePath(names.map(\.portable)) }
}

extension FileName {
  /// The name with `%XX` for each byte that some file system refuses, and short enough for an encrypted folder.
  fileprivate var portable: FileName {
    let forbidden = Array(#""*/:<>?\|"#.utf8)
    let isUTF8 = String(validating: bytes, as: UTF8.self) != nil
    var name: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      let isAtEnd = index == bytes.count - 1 && [UInt8(ascii: "."), UInt8(ascii: " ")].contains(byte)
      let isPlain = byte >= 0x80 ? isUTF8 : byte >= 0x20 && byte != 0x7F && !forbidden.contains(byte)
      let isTaken = isPlain && !isAtEnd && !(index == 0 && isOfDevice)
      name += isTaken ? [byte] : byte.percentEscape
    }
    let limit = 140
    guard name.count > limit else { return FileName(bytes: name) }
    // Never cuts within a character.
    let end = name[...limit].lastIndex { $0 & 0xC0 != 0x80 } ?? limit
    return FileName(bytes: Array(name[..<end]))
  }

  /// Whether MS-DOS gave the name, with any extension, to a device.
  private var isOfDevice: Bool {
    let base = String(decoding: bytes.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self).lowercased()
    if ["con", "prn", "aux", "nul"].contains(base) { return true }
    return base.utf8.count == 4 && ["com", "lpt"].contains(base.prefix(3)) && base.last?.isWholeNumber == true
  }
}
