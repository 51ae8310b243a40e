import DurableIO
import FilePackages
public import FoundationEssentials
import ObjectStores

/// One state of a document in a container: a small record in the log that names the document's tree.
///
/// The versions of a document have numbers from 1, without gaps. The last one is the document's present state, the
/// *head*. A version is immutable.
public struct CloudVersion: Sendable, Hashable {
  /// The document.
  public var document: CloudDocumentID
  /// The number of the version, from 1.
  public var sequence: Int
  /// The contents in conflict with this one that no user has resolved, in the order of their names.
  package var conflicts: [LostVersion] = []
  /// The identity of the device that made the version: see `CloudDevice.id`.
  public var device: String
  /// The name of that device for people.
  public var deviceName: String
  /// The name of the device whose edit the content is; nil stands for the device that made the version.
  package var contentDevice: String?
  /// The time when the device made the version, by its clock, to the millisecond.
  public var date: Date
  /// The document's name: a path with slashes.
  public var name: String
  /// The identifier of the document's type.
  public var contentType: String
  /// Whether the document is a directory; otherwise it is a flat file.
  public var isPackage: Bool
  /// The document's content. A deletion has the content that it removed.
  package var root: TreeRoot
  /// The blobs of the content, if the document is small, in the order of a walk. Otherwise they are objects of their own.
  ///
  /// So a small document costs one object. The blobs have the bytes and names of separate ones, so the root does not
  /// depend on their place.
  package internal(set) var blobs: [Data] = []
  /// Whether the document is deleted.
  public var isDeleted = false

  /// The name of the device that made the content.
  ///
  /// It differs from `deviceName` if that device only renamed, deleted or restored the document, or if its merge took
  /// the other side's content unchanged.
  public var contentDeviceName: String { contentDevice ?? deviceName }

  /// Whether the version itself has all of the content.
  package var hasContent: Bool { !blobs.isEmpty }

  /// The number of bytes of all files of the document.
  public var size: UInt64 { root.totals.bytes }

  /// The largest number of a version.
  package static let maximumSequence = 1 << 50
}

/// Returns a number with leading zeros.
func paddedNumber(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

/// Returns the key that this target's own text makes.
func checkedKey(_ string: String) -> ObjectKey {
  guard let key = ObjectKey(string) else { preconditionFailure("'\(string)' is no key") }
  return key
}

extension CloudVersion: CustomStringConvertible {
  /// One line for a user.
  public var description: String {
    let state = isDeleted ? "deleted" : "\(size) bytes"
    let conflict = conflicts.isEmpty ? "" : ", \(counted(conflicts.count, "conflict"))"
    return
      "\(displayString(name)), version \(sequence) from \(displayString(deviceName)), \(state)\(conflict)"
  }
}
