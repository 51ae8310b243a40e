public import Documents
import FilePackages
public import FoundationEssentials

/// A document of a container, with the attributes that Apple's metadata queries give an item in iCloud.
///
/// Each attribute is also a member of the item itself: `item.downloadingStatus`.
@dynamicMemberLookup
public struct CloudItem: Sendable, Hashable, Identifiable {
  /// Whether the content of a document is on this machine, and whether it is the newest one.
  public typealias DownloadingStatus = UbiquitousAttributes.DownloadingStatus

  /// The document's identity, which a new name does not change.
  public var id: CloudDocumentID
  /// The name in the container: a path with slashes.
  public var name: String
  /// The place in the container folder; of a placeholder, the place of the document after its download.
  public var url: URL
  /// The document's type.
  public var contentType: UTType
  /// Whether the document is a directory; otherwise it is a flat file.
  public var isPackage: Bool
  /// The size of the last version in the container, in bytes; nil if there is none yet.
  public var size: UInt64?
  /// The time of the last version in the container, by its device's clock; nil if there is none yet.
  public var modificationDate: Date?
  /// The name of the device that made the content of the last version; nil if there is none yet.
  public var savingComputer: String?
  /// The status of the content, its download and its upload, with conflicts and errors.
  public var attributes: UbiquitousAttributes

  /// Returns one of the attributes.
  public subscript<Value>(dynamicMember path: KeyPath<UbiquitousAttributes, Value>) -> Value {
    attributes[keyPath: path]
  }

  /// Always true: the item belongs to a container.
  public var isUbiquitous: Bool { true }
}

extension CloudItem: CustomStringConvertible {
  /// One line for a user.
  public var description: String {
    let attributes = "\(attributes)"
    return attributes.isEmpty ? displayString(name) : "\(displayString(name)), \(attributes)"
  }
}
