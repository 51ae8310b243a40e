import DurableIO
import FoundationEssentials
import Synchronization

extension FileWrapper {
  /// The attributes under the raw strings of `FileAttributeKey`, with values as `FileManager` gives them here:
  /// numbers are `NSNumber` in a program that has Foundation, otherwise `UInt` or `UInt64`. A wrapper in memory
  /// has a type, permissions and, if a regular file, a modification date; one from disk also size, number of
  /// links, owner and group by number, device and inode. Unlike Apple's, it has no names of owners and no
  /// creation date.
  ///
  /// Assigning sets the permissions and the modification date; it needs at least `NSFileType` and
  /// `NSFilePosixPermissions`, otherwise it is a programming error. A date that was read here and is assigned
  /// back stands for the same nanosecond, although `Date` cannot hold it.
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
      change { state in
        state.attributes.mode = UInt16(truncatingIfNeeded: mode) & 0o7777
        state.attributes.modeIsExact = true
        if date != state.attributes.modified?.date {
          state.attributes.modified = date.map { FileTime($0) }
        }
      }
    }
  }

  private static func integer(_ value: Any?) -> Int? {
    // The second way is that of an NSNumber, where the program has Foundation.
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

/// A number as `FileManager` has it: an `NSNumber`, which casts to whatever type of number a program asks for,
/// where Foundation is there to bridge it; otherwise the number itself.
private func number(_ value: some BinaryInteger) -> Any {
  let object = value as AnyObject
  return object is Int ? object : value
}
