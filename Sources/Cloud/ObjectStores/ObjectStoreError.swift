public import FoundationEssentials

/// The failure of one call to an object store. `description` is the reason and the remedy.
public struct ObjectStoreError: Error, Sendable, Hashable {
  /// The kind of failure.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// There is no connection, or it broke. The call may have done its work.
    case unreachable
    /// The store did not answer in time. The call may have done its work.
    case timedOut
    /// The store is busy, and asks for a later call.
    case busy
    /// The server reports a failure of its own.
    case serverFailure
    /// The source of the credentials gave none, or only expired ones.
    case noKeys
    /// The store does not know the credentials.
    case unauthorized
    /// The credentials do not allow the call.
    case forbidden
    /// The bucket or folder does not exist.
    case noSuchStore
    /// The store is full.
    case noSpace
    /// This machine's clock and the store's are too far apart.
    case clockSkewed
    /// The answer is not that of an object store.
    case invalidAnswer
    /// The server's certificate is not valid for its name.
    case untrusted
    /// The bytes of the object are not those that were stored.
    case damaged
    /// The object is larger than the caller or the store allows.
    case tooLarge
    /// The store does not keep the promises that a container needs.
    case unsound
    /// The file system of a folder refused the call.
    case file
    /// The library with the ciphers is not installed.
    case noCipher
    /// The task was cancelled.
    case cancelled
  }

  /// The call.
  public enum Operation: String, Sendable, Hashable, CaseIterable {
    case put, get, head, list, delete, open, probe
  }

  /// The kind of failure.
  public var code: Code
  /// The call.
  public var operation: Operation
  /// The store's place, without a secret.
  public var place: String
  /// The object; nil for a listing.
  public var key: ObjectKey?
  /// The reason in the store's words; nil if it gave none.
  public var reason: String?
  /// The number of seconds before the next call, as the store asks; nil if it asks for none.
  public var retryAfter: Double?

  /// Makes an error.
  public init(
    _ code: Code, _ operation: Operation, in place: String, key: ObjectKey? = nil, reason: String? = nil,
    retryAfter: Double? = nil
  ) {
    (self.code, self.operation, self.place) = (code, operation, place)
    (self.key, self.reason, self.retryAfter) = (key, reason, retryAfter)
  }

  /// Makes the error of a call.
  public init(
    _ code: Code, _ call: StoreCall, in place: String, reason: String? = nil,
    retryAfter: Double? = nil
  ) {
    self.init(
      code, call.operation, in: place, key: call.key, reason: reason, retryAfter: retryAfter)
  }

  /// Whether the same call may succeed later without a change by the user.
  public var isTransient: Bool {
    switch code {
    case .unreachable, .timedOut, .busy, .serverFailure: true
    default: false
    }
  }
}

extension ObjectStoreError: CustomStringConvertible {
  /// One line for a user.
  public var description: String {
    let subject = key.map { "'\($0)' in \(place)" } ?? place
    let reason = reason.map { " (\($0))" } ?? ""
    return "\(subject) could not be \(operation.participle): \(code.words)\(reason). \(code.advice)"
  }
}

extension ObjectStoreError: LocalizedError {
  /// `description`, for Foundation.
  public var errorDescription: String? { description }
}

extension ObjectStoreError.Operation {
  fileprivate var participle: String {
    switch self {
    case .put: "stored"
    case .get, .head: "read"
    case .list: "listed"
    case .delete: "removed"
    case .open: "opened"
    case .probe: "used"
    }
  }
}

extension ObjectStoreError.Code {
  fileprivate var words: String {
    switch self {
    case .unreachable: "there is no connection to the server"
    case .timedOut: "the server did not answer in time"
    case .busy: "the server is busy"
    case .serverFailure: "the server failed"
    case .noKeys: "there are no keys"
    case .unauthorized: "the server does not know the credentials"
    case .forbidden: "the credentials do not allow it"
    case .noSuchStore: "the bucket or folder is not there"
    case .noSpace: "there is no room"
    case .clockSkewed: "this machine's clock and the server's differ by too much"
    case .invalidAnswer: "the answer is not that of an object store"
    case .untrusted: "the server's certificate is not valid"
    case .damaged: "it is damaged, or another key made it"
    case .tooLarge: "it is too large"
    case .unsound: "it cannot hold a container"
    case .file: "the file system refused"
    case .noCipher: "there is no cipher"
    case .cancelled: "the task was cancelled"
    }
  }

  fileprivate var advice: String {
    switch self {
    case .unreachable, .timedOut, .busy, .serverFailure: "Nothing is lost; try again later."
    case .noKeys:
      "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, write them to ~/.aws/credentials, or correct the profile."
    case .unauthorized: "Check the access key, the secret key and the profile."
    case .forbidden: "Ask the owner of the bucket for the right to read, write, list and remove objects."
    case .noSuchStore: "Make the bucket or the folder, mount the disk, or correct the address."
    case .noSpace: "Make room in the store."
    case .clockSkewed: "Set this machine's clock."
    case .invalidAnswer: "Check the address; a proxy or another kind of server may answer there."
    case .untrusted:
      "Check the address. If the authority is your own, let SSL_CERT_FILE or AWS_CA_BUNDLE name its certificate."
    case .damaged: "Run 'docpkg cloud repair' on a machine that has the document."
    case .tooLarge:
      "Permit larger requests, in the server and in a proxy before it: a container needs requests of 8 MiB."
    case .unsound: "Use another store."
    case .file: "Check the disk and the permissions."
    case .noCipher: "Install the library that the reason names."
    case .cancelled: "Call again."
    }
  }
}
