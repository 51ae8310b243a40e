import DurableIO
import FoundationEssentials
import PackageFormat
import Synchronization

extension FileWrapper {
  /// The attributes under the raw strings of `FileAttributeKey`, with the values that `FileManager` gives on Linux.
  ///
  /// Numbers are `NSNumber` if the program links Foundation, otherwise `UInt` or `UInt64`. A wrapper in memory has a
  /// type and permissions; a regular file has a modification date as well. A wrapper from disk also has size, number of
  /// links, owner and group by number, device and inode. Unlike Apple's, it has no owner names and no creation date.
  ///
  /// Assigning sets the permissions and the modification date. A dictionary without `NSFileType` and
  /// `NSFilePosixPermissions` is a programming error. Assigning back a date from here keeps its nanosecond, although
  /// `Date` cannot hold it.
  public var fileAttributes: [String: Any] {
    get {
      state.withLock { state in
        var values = state.attributes.dictionary(kind: state.fileType)
        if let status = state.stored?.status { values.merge(status.dictionary) { own, _ in own } }
        return values
      }
    }
    set {
      guard newValue[FileAttributeKey.type.rawValue] != nil,
        let mode = Self.integer(newValue[FileAttributeKey.posixPermissions.rawValue])
      else {
        preconditionFailure("FileWrapper.fileAttributes needs NSFileType and NSFilePosixPermissions")
      }
      let date = newValue[FileAttributeKey.modificationDate.rawValue] as? Date
      edit { state in
        state.attributes.mode = UInt16(truncatingIfNeeded: mode) & 0o7777
        state.attributes.modeIsExact = true
        if date != state.attributes.modified?.date {
          state.attributes.modified = date.map { FileTime($0) }
        }
      }
    }
  }

  private static func integer(_ value: Any?) -> Int? {
    // An NSNumber casts to `Int`, if the program links Foundation.
    (value as? any BinaryInteger).map { Int(truncatingIfNeeded: $0) } ?? value as? Int
  }
}

extension FileWrapper.State {
  fileprivate var fileType: FileAttributeType {
    switch node {
    case .file: .typeRegular
    case .directory: .typeDirectory
    case .link: .typeSymbolicLink
    }
  }
}

extension NodeAttributes {
  fileprivate func dictionary(kind: FileAttributeType) -> [String: Any] {
    var values: [String: Any] = [
      FileAttributeKey.type.rawValue: kind,
      FileAttributeKey.posixPermissions.rawValue: number(UInt(mode)),
    ]
    values[FileAttributeKey.modificationDate.rawValue] = modified?.date
    return values
  }
}

extension FileStatus {
  fileprivate var dictionary: [String: Any] {
    [
      FileAttributeKey.size.rawValue: number(UInt(size)),
      FileAttributeKey.referenceCount.rawValue: number(UInt(links)),
      FileAttributeKey.ownerAccountID.rawValue: number(UInt(user)),
      FileAttributeKey.groupOwnerAccountID.rawValue: number(UInt(group)),
      FileAttributeKey.systemNumber.rawValue: number(UInt(identity.device)),
      FileAttributeKey.systemFileNumber.rawValue: number(identity.inode),
    ]
  }
}

/// Returns a number as `FileManager` does: an `NSNumber` if the program links Foundation, otherwise the number itself.
///
/// An `NSNumber` casts to any type of number.
private func number(_ value: some BinaryInteger) -> Any {
  let object = value as AnyObject
  return object is Int ? object : value
}
