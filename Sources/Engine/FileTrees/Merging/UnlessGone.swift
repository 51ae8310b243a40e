import PackageFormat

/// Returns the result of reading a file for a merge; nil if another program removed or replaced the file.
///
/// The bytes are then gone for good, and a merge goes on without them. A failure of the disk is no removal: a later
/// attempt may read the same bytes, so that the merge ends with the error.
///
/// - Throws: every other error of `read`.
package func unlessGone<Result>(_ read: () throws -> Result) throws -> Result? {
  do {
    return try read()
  } catch let error as FilePackageError where error.isOfGoneFile {
    return nil
  }
}

extension FilePackageError {
  /// Whether another file, another kind of node or nothing stands in the place of the file.
  fileprivate var isOfGoneFile: Bool { [.noSuchFile, .changedOnDisk, .wrongKind].contains(code) }
}
