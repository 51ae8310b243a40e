import DurableIO
import FilePackages
public import FoundationEssentials

/// Objects in a bucket of an S3 service.
///
/// The service must pass `StoreProbe`: a read sees earlier writes at once, and a write may have `If-None-Match: *`. The
/// store uses no other condition, no versions of objects and no uploads in parts, because services differ in these. It
/// does not repeat a failed request: `RetryingStore` does that.
public struct S3Store: ObjectStore {
  /// The bucket and the server.
  public let address: S3Address
  private let keys: S3Keys
  private let transport: any HTTPTransport
  private let now: @Sendable () -> Date

  /// The place of the store in the words of an error.
  public var place: String { address.description }

  /// The size of the largest object that a call stores or reads, in bytes.
  public static let maximumSize = 256 << 20
  /// The largest listing or error, in bytes.
  private static let answerLimit = 8 << 20

  /// Makes a store in an existing bucket, with keys that may be temporary.
  ///
  /// - Parameter now: the clock of the signatures.
  public init(
    at address: S3Address, keys: S3Keys, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(at: address, keys: keys, transport: HTTPClient.shared, now: now)
  }

  /// Makes a store in an existing bucket, with the keys and the certificates of awscli's files and the environment.
  ///
  /// - Throws: an error of the keys.
  public init(
    at address: S3Address, settings: S3Settings, limits: TransferLimits = TransferLimits()
  ) throws(S3Settings.Problem) {
    self.init(
      at: address, keys: try settings.findKeys(),
      transport: HTTPClient(limits: limits, authorities: settings.certificates))
  }

  /// Makes a store in an existing bucket, with permanent keys.
  ///
  /// - Parameter now: the clock of the signatures.
  public init(
    at address: S3Address, credentials: S3Credentials, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(at: address, keys: S3Keys(credentials), now: now)
  }

  package init(
    at address: S3Address, keys: S3Keys, transport: any HTTPTransport,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    (self.address, self.keys, self.transport, self.now) = (address, keys, transport, now)
  }

  package init(
    at address: S3Address, credentials: S3Credentials, transport: any HTTPTransport,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(at: address, keys: S3Keys(credentials), transport: transport, now: now)
  }

  // MARK: Calls

  /// Stores an object, as `ObjectStore` says.
  @discardableResult
  public func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    if bytes.count > Self.maximumSize { throw ObjectStoreError(.tooLarge, .put, in: place, key: key) }
    var headers = ["content-type": "application/octet-stream"]
    if ifAbsent { headers["if-none-match"] = "*" }
    let answer = try await send("PUT", key, headers: headers, body: bytes, .put)
    switch answer.status {
    case 200...299: return true
    case 412 where ifAbsent: return false
    default: throw failure(answer, .put, key)
    }
  }

  /// Reads an object or a part of it, as `ObjectStore` says.
  public func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data? {
    if let range, range.isEmpty { return try await head(key).map { _ in Data() } }
    let headers = range.map { ["range": "bytes=\(max(0, $0.lowerBound))-\($0.upperBound - 1)"] } ?? [:]
    // An error may be longer than the part.
    let limit = range.map { max($0.upperBound, Self.answerLimit) } ?? Self.maximumSize
    let answer = try await send("GET", key, headers: headers, .get, limit: min(limit, Self.maximumSize))
    switch answer.status {
    case 200:
      // The server may ignore the range.
      guard let range else { return answer.body }
      return answer.body.dropFirst(max(0, range.lowerBound)).prefix(range.count)
    case 206 where range != nil:
      guard answer.body.count <= range?.count ?? 0 else {
        throw ObjectStoreError(
          .invalidAnswer, .get, in: place, key: key, reason: "it has more bytes than asked for")
      }
      return answer.body
    case 416 where range != nil: return Data()
    case 404 where code(of: answer) != "NoSuchBucket": return nil
    default: throw failure(answer, .get, key)
    }
  }

  /// Returns the size and the date of an object, as `ObjectStore` says.
  public func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject? {
    let answer = try await send("HEAD", key, .head)
    switch answer.status {
    case 200:
      guard let size = answer.headers["content-length"].flatMap({ Int($0) }), size >= 0,
        let date = answer.headers["last-modified"].flatMap(Date.init(http:))
      else {
        throw ObjectStoreError(.invalidAnswer, .head, in: place, key: key, reason: "size or date is missing")
      }
      return StoredObject(key: key, size: size, modificationDate: date)
    case 404: return nil
    default: throw failure(answer, .head, key)
    }
  }

  /// Removes an object, as `ObjectStore` says.
  public func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
    let answer = try await send("DELETE", key, .delete)
    switch answer.status {
    case 200...299: return
    case 404 where code(of: answer) != "NoSuchBucket": return
    default: throw failure(answer, .delete, key)
    }
  }

  /// Lists objects, as `ObjectStore` says.
  public func list(
    _ prefix: String, after start: ObjectKey?, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    let base = address.prefix.isEmpty ? "" : address.prefix + "/"
    var (after, others) = (start.map { base + $0.string }, 0)
    while true {
      var query = [
        ("encoding-type", "url"), ("list-type", "2"), ("max-keys", "\(min(max(1, limit), 1_000))"),
        ("prefix", base + prefix),
      ]
      if let after { query.append(("start-after", after)) }
      let answer = try await send("GET", nil, query: query, .list)
      guard answer.status == 200 else { throw failure(answer, .list, nil) }
      let page = try page(of: answer, beneath: base)
      others += page.otherNames
      if !page.hasMore { return ObjectListing(objects: page.objects, hasMore: false, otherNames: others) }
      guard let last = page.lastName else {
        throw ObjectStoreError(
          .unsound, .list, in: place, reason: "a page of a listing is empty, and there is more behind it")
      }
      guard after.map({ $0.utf8.lexicographicallyPrecedes(last.utf8) }) ?? true else {
        throw ObjectStoreError(.invalidAnswer, .list, in: place, reason: "a listing does not go on")
      }
      if !page.objects.isEmpty {
        return ObjectListing(objects: page.objects, hasMore: true, otherNames: others)
      }
      // A page of names that are no keys.
      after = last
    }
  }

  // MARK: Requests

  /// An answer, and the keys of its request.
  private struct Answer {
    let response: HTTPResponse
    let credentials: S3Credentials
    var status: Int { response.status }
    var headers: [String: String] { response.headers }
    var body: Data { response.body }
  }

  /// Sends a request, and once more with other keys if those have expired.
  private func send(
    _ method: String, _ key: ObjectKey?, query: [(String, String)] = [], headers: [String: String] = [:],
    body: Data = Data(), _ operation: ObjectStoreError.Operation, limit: Int = Self.answerLimit
  ) async throws(ObjectStoreError) -> Answer {
    var path = address.usesPathStyle ? "/" + address.bucket : ""
    if let key {
      path += "/" + (address.prefix.isEmpty ? "" : address.prefix + "/") + key.string
    } else if path.isEmpty {
      path = "/"
    }
    let request = HTTPRequest(
      method: method, isEncrypted: address.isEncrypted,
      host: address.usesPathStyle ? address.host : "\(address.bucket).\(address.host)", port: address.port,
      path: path.utf8.percentEncoded(keeping: "/"),
      query: query.sorted { $0.0 < $1.0 }.map { "\($0.0)=\($0.1.utf8.percentEncoded())" }.joined(
        separator: "&"),
      headers: headers, body: body)
    var answer = try await send(request, operation, key, limit: limit)
    if keys.areRenewable, hasExpiredKeys(answer, method) {
      answer = try await send(request, operation, key, limit: limit, instead: answer.credentials)
    }
    if let reason = stranger(answer) {
      throw ObjectStoreError(.invalidAnswer, operation, in: place, key: key, reason: reason)
    }
    return answer
  }

  /// Returns the reason why an answer that says something about an object is not the store's; nil if it may be.
  private func stranger(_ answer: Answer) -> String? {
    guard (200...299).contains(answer.status) || [404, 412, 416].contains(answer.status) else { return nil }
    if answer.headers["content-type"]?.lowercased().hasPrefix("text/html") == true {
      return "it is a web page, as of a network that asks for a login"
    }
    if let coding = answer.headers["content-encoding"]?.lowercased(), !["", "identity"].contains(coding) {
      return "it is compressed (\(shown(coding, answer.credentials))), as by a proxy"
    }
    return nil
  }

  private func send(
    _ request: HTTPRequest, _ operation: ObjectStoreError.Operation, _ key: ObjectKey?, limit: Int,
    instead expired: S3Credentials? = nil
  ) async throws(ObjectStoreError) -> Answer {
    let credentials: S3Credentials
    do throws(S3KeyProblem) {
      credentials = try await keys.credentials(at: now(), instead: expired)
    } catch {
      throw ObjectStoreError(.noKeys, operation, in: place, key: key, reason: error.reason)
    }
    var request = request
    SignatureV4(credentials, region: address.region).sign(&request, at: now())
    // An encoded body would have another length.
    request.headers["accept-encoding"] = "identity"
    do {
      return Answer(response: try await transport.send(request, limit: limit), credentials: credentials)
    } catch {
      throw ObjectStoreError(without: error, operation, in: place, key: key)
    }
  }

  private func hasExpiredKeys(_ answer: Answer, _ method: String) -> Bool {
    // The answer to HEAD has no body with the reason.
    if method == "HEAD" { return answer.status == 400 || answer.status == 403 }
    return answer.status >= 400 && ["ExpiredToken", "TokenRefreshRequired"].contains(code(of: answer))
  }

  // MARK: Answers

  private struct Page {
    var objects: [StoredObject] = []
    var otherNames = 0
    var hasMore = false
    var lastName: String?
  }

  private func page(of answer: Answer, beneath base: String) throws(ObjectStoreError) -> Page {
    func invalid(_ reason: String) -> ObjectStoreError {
      ObjectStoreError(.invalidAnswer, .list, in: place, reason: "the listing is wrong: \(reason)")
    }
    let text: S3Answer
    do throws(S3Answer.Problem) {
      text = try S3Answer(answer.body)
    } catch {
      throw invalid(error.reason)
    }
    guard text.name == "ListBucketResult" else { throw invalid("it is another document") }
    var page = Page(hasMore: text["IsTruncated"] == "true")
    var content: [String: String] = [:]
    for element in text.elements {
      content[element.name] = element.text
      guard element.name == "Contents" else { continue }
      defer { content = [:] }
      guard let name = content["Key"].flatMap(S3Answer.decoded),
        let size = content["Size"].flatMap({ Int($0) }),
        size >= 0, let date = content["LastModified"].flatMap(Date.init(iso8601:))
      else { throw invalid("an object has no name, size or date") }
      guard name.hasPrefix(base) else { throw invalid("it has objects of another prefix") }
      if let last = page.lastName, !last.utf8.lexicographicallyPrecedes(name.utf8) {
        throw invalid("it is not in order")
      }
      page.lastName = name
      if let key = ObjectKey(String(name.dropFirst(base.count))) {
        page.objects.append(StoredObject(key: key, size: size, modificationDate: date))
      } else {
        page.otherNames += 1
      }
    }
    return page
  }

  private func code(of answer: Answer) -> String? {
    // A body that is not XML has no code.
    guard let text = try? S3Answer(answer.body), text.name == "Error" else { return nil }
    return text["Code"]
  }

  private func failure(
    _ answer: Answer, _ operation: ObjectStoreError.Operation, _ key: ObjectKey?
  ) -> ObjectStoreError {
    // A body that is no error of S3 has no reason to show.
    let element = (try? S3Answer(answer.body)).flatMap { $0.name == "Error" ? $0 : nil }
    let code = element?["Code"]
    var reason = "status \(answer.status)"
    if let code { reason += ", \(shown(code, answer.credentials))" }
    if let message = element?["Message"], !message.isEmpty {
      reason += ": \(shown(message, answer.credentials))"
    }
    if let region = answer.headers["x-amz-bucket-region"], region != address.region {
      reason += ", the bucket is in the region \(shown(region, answer.credentials))"
    }
    let seconds = answer.headers["retry-after"].flatMap { Double($0) }
    return ObjectStoreError(
      ObjectStoreError.Code(status: answer.status, code), operation, in: place, key: key, reason: reason,
      retryAfter: seconds)
  }

  /// Returns a text of the server for one line of an error, without the keys: a server may repeat the request.
  private func shown(_ text: String, _ credentials: S3Credentials) -> String {
    var text = text
    for secret in [credentials.secretAccessKey, credentials.sessionToken ?? ""] where !secret.isEmpty {
      text = text.replacing(secret, with: "…")
    }
    text = String(
      text.unicodeScalars.prefix(200).map { $0.properties.generalCategory == .control ? " " : Character($0) })
    while text.last == "." || text.last == " " { text.removeLast() }
    return text
  }
}

extension ObjectStoreError.Code {
  /// Makes the code of an answer that is no success.
  init(status: Int, _ code: String?) {
    switch code {
    case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken",
      "TokenRefreshRequired":
      self = .unauthorized
    case "AccessDenied", "AllAccessDisabled", "AccountProblem": self = .forbidden
    case "RequestTimeTooSkewed", "RequestExpired": self = .clockSkewed
    case "NoSuchBucket": self = .noSuchStore
    case "SlowDown", "ServiceUnavailable", "Busy", "ConditionalRequestConflict", "OperationAborted",
      "RequestTimeout":
      self = .busy
    case "QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "StorageFull": self = .noSpace
    case "EntityTooLarge": self = .tooLarge
    default:
      self =
        switch status {
        case 401: .unauthorized
        case 403: .forbidden
        case 408, 409, 429, 503: .busy
        case 413: .tooLarge
        case 501: .unsound
        case 507: .noSpace
        case 500...599: .serverFailure
        default: .invalidAnswer
        }
    }
  }
}

extension ObjectStoreError {
  /// Makes the error of a request without an answer.
  init(without answer: HTTPFailure, _ operation: Operation, in place: String, key: ObjectKey?) {
    switch answer {
    case .unreachable(let reason): self.init(.unreachable, operation, in: place, key: key, reason: reason)
    case .timedOut: self.init(.timedOut, operation, in: place, key: key)
    case .untrusted(let reason): self.init(.untrusted, operation, in: place, key: key, reason: reason)
    case .malformed(let reason):
      self.init(.invalidAnswer, operation, in: place, key: key, reason: "the answer is no HTTP: \(reason)")
    case .tooLarge:
      self.init(.invalidAnswer, operation, in: place, key: key, reason: "the answer does not end")
    case .cancelled: self.init(.cancelled, operation, in: place, key: key)
    }
  }
}
