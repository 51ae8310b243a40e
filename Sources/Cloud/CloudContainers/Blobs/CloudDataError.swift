import FilePackages
public import FoundationEssentials
public import ObjectStores

/// An error in the data of a container. `description` is the reason and the remedy.
///
/// A failure of the store itself is an `ObjectStoreError`. If the store refuses one object alone, `storeError` has that.
public struct CloudDataError: Error, Sendable, Hashable {
  /// The kind of failure.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// An object that a document needs is not in the store.
    case missing
    /// The bytes of an object do not match the digest in its name.
    case wrongBytes
    /// An object is larger than it may be.
    case tooLarge
    /// An object does not have the format that this version reads.
    case invalid
    /// A newer version of this library made the object.
    case newerFormat
    /// An entry of a document would be dangerous on this machine, or impossible on another one.
    case refused
    /// The container is encrypted, and the key or the passphrase is missing or wrong.
    case locked
    /// The container is not encrypted, although it should be.
    case notEncrypted
    /// The container was copied to another store.
    case moved
    /// Another machine removed this one from the container.
    case removed
    /// The store gives or takes other objects, but not this one: `storeError` has the reason.
    case refusedByStore
    /// An entry of the container's log is missing or damaged.
    case damagedLog
  }

  /// The kind of failure.
  public var code: Code
  /// The place of the store, such as `s3://bucket/prefix`.
  public var place: String
  /// The key of the object; nil if the error is not about a single object.
  public var key: String?
  /// The name of the document; nil if it is not known.
  public var document: String?
  /// The path of the child in its document; nil if the error is about the whole document.
  public var child: String?
  /// The reason, in words; nil for the usual words of the code.
  public var reason: String?
  /// Whether the error prevents an upload of this machine's own data.
  public var isUpload = false
  /// The error of the call about the object; nil unless the code is `refusedByStore`.
  public var storeError: ObjectStoreError?

  /// Makes an error of these facts.
  public init(
    _ code: Code, in place: String, key: String? = nil, document: String? = nil, child: String? = nil,
    reason: String? = nil
  ) {
    (self.code, self.place, self.key, self.document) = (code, place, key, document)
    (self.child, self.reason) = (child, reason)
  }
}

extension CloudDataError {
  /// Makes the error of an object that the store refuses.
  init(_ error: ObjectStoreError) {
    self.init(.refusedByStore, in: error.place, key: error.key?.string)
    (isUpload, storeError) = (error.operation == .put, error)
  }

  /// Makes an error about a blob.
  init(_ code: Code, in place: String, blob: BlobName, child: String? = nil, reason: String? = nil) {
    self.init(code, in: place, key: blob.key.string, child: child, reason: reason)
  }
}

extension CloudDataError {
  /// Whether the error is that of one entry of the log, which a snapshot may make unnecessary.
  var isOfEntry: Bool { code == .damagedLog || code == .refusedByStore }
}

extension CloudDataError: CustomStringConvertible, LocalizedError {
  /// One line for a user.
  public var description: String {
    let whole = document.map { "'\(displayString($0))'" }
    let object = key.map { " (object '\($0)')" } ?? ""
    if code.concernsContainer {
      return "The container in \(place) \(reason ?? code.words)\(object). \(code.advice)"
    }
    let part = child.map { "The child '\($0)'\(whole.map { " of \($0)" } ?? "")" }
    if let storeError {
      let subject = part ?? whole.map { "The document \($0)" }
      return subject.map {
        "\($0) cannot \(isUpload ? "go to the container" : "be used"): \(storeError)"
      } ?? "\(storeError)"
    }
    if isUpload {
      let subject = part ?? whole.map { "The document \($0)" } ?? "A document"
      return "\(subject) cannot go to the container: \(reason ?? code.words). Rename or remove it here."
    }
    let subject = "\(part ?? whole.map { "The document \($0)" } ?? "A document") in \(place)"
    return "\(subject) cannot be used: \(reason ?? code.words)\(object). \(code.advice)"
  }

  /// `description`, for Foundation.
  public var errorDescription: String? { description }
}

extension CloudDataError: Encodable {
  /// Encodes `description`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension CloudDataError.Code {
  fileprivate var concernsContainer: Bool {
    [.locked, .notEncrypted, .moved, .removed, .damagedLog].contains(self)
  }

  fileprivate var words: String {
    switch self {
    case .missing: "an object of it is not there"
    case .wrongBytes: "the store gave other bytes than those that were stored"
    case .tooLarge: "an object of it is larger than it may be"
    case .invalid: "an object of it is damaged"
    case .newerFormat: "a newer version of this program made it"
    case .refused: "an entry of it is not safe"
    case .locked: "is encrypted, and there is no key for it"
    case .notEncrypted: "is not encrypted"
    case .moved: "has moved to another store"
    case .removed: "no longer has this machine"
    case .refusedByStore: "the store refuses an object of it"
    case .damagedLog: "has an entry of its log that cannot be read"
    }
  }

  fileprivate var advice: String {
    switch self {
    case .missing, .wrongBytes, .tooLarge, .invalid:
      "Nothing here was changed; 'docpkg cloud repair' on a machine that has the document stores it again."
    case .newerFormat: "Nothing here was changed; update this program."
    case .locked:
      "Give the passphrase, or the key that 'docpkg cloud key export' writes on a machine of the container."
    case .notEncrypted: "Nothing was read or sent; check the address, and ask the owner of the store."
    case .moved:
      "Nothing was changed; if this folder does not have the new address yet, give it with 'docpkg cloud relocate'. "
        + "Its changes go there with the next sync."
    case .removed:
      "The documents that are here stay. Run 'docpkg cloud leave', and 'docpkg cloud add' if the machine is to come back."
    case .refusedByStore: "Nothing here was changed; try again later."
    case .damagedLog:
      "Nothing here was changed; 'docpkg cloud repair' on a machine that has synced since stores the entry again."
    case .refused: "Nothing here was changed; rename or remove the entry on the machine that has it."
    }
  }
}
