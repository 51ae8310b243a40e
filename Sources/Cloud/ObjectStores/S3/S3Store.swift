import DurableIO
import FilePackages
package import FoundationEssentials

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
  public init(at address: S3Address, credentials: S3Credentials) {
    self.init(at: address, keys: S3Keys(credentials))
  }

  /// - Parameter now: the clock of the signatures.
  package init(
    at address: S3Address, keys: S3Keys, transport: any HTTPTransport = HTTPClient.shared,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    (self.address, self.keys, self.transport, self.now) = (address, keys, transport, now)
  }

  // MARK: Calls

  /// Makes a call: a request, or more if pages of a listing have no keys, or if the keys of the request have expired.
  public func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    switch call {
    case .put(let bytes, _, let ifAbsent):
      if bytes.count > Self.maximumSize { throw ObjectStoreError(.tooLarge, call, in: place) }
      var headers = ["content-type": "application/octet-stream"]
      if ifAbsent { headers["if-none-match"] = "*" }
      let answer = try await request("PUT", call, headers: headers, body: bytes)
      switch answer.status {
      case 200...299: return .stored(true)
      case 412 where ifAbsent: return .stored(false)
      default: throw failure(answer, call)
      }
    case .get(let key, let limit): return .bytes(try await get(key, limit: limit, call))
    case .head(let key): return .object(try await head(key, call))
    case .list(let prefix, let start, let limit): return .page(try await list(call, prefix, start, limit))
    case .delete:
      let answer = try await request("DELETE", call)
      guard (200...299).contains(answer.status) || isAbsent(answer) else { throw failure(answer, call) }
      return .removed
    }
  }

  private func get(
    _ key: ObjectKey, limit: Int, _ call: StoreCall
  ) async throws(ObjectStoreError) -> Data? {
    let isPart = limit < Self.maximumSize
    if limit <= 0 { return try await head(key, .head(key)).map { _ in Data() } }
    let headers = isPart ? ["range": "bytes=0-\(limit - 1)"] : [:]
    // An error may be longer than the part.
    let answer = try await request(
      "GET", call, headers: headers, limit: min(max(limit, Self.answerLimit), Self.maximumSize))
    switch answer.status {
    // The server may ignore the range.
    case 200: return answer.body.prefix(limit)
    case 206 where isPart:
      guard answer.body.count <= limit else {
        throw ObjectStoreError(.invalidAnswer, call, in: place, reason: "it has more bytes than asked for")
      }
      return answer.body
    case 416 where isPart: return Data()
    default:
      guard isAbsent(answer) else { throw failure(answer, call) }
      return nil
    }
  }

  private func head(
    _ key: ObjectKey, _ call: StoreCall
  ) async throws(ObjectStoreError) -> StoredObject? {
    let answer = try await request("HEAD", call)
    switch answer.status {
    case 200:
      guard let size = answer.headers["content-length"].flatMap({ Int($0) }), size >= 0,
        let date = answer.headers["last-modified"].flatMap(Date.init(http:))
      else {
        throw ObjectStoreError(.invalidAnswer, call, in: place, reason: "size or date is missing")
      }
      return StoredObject(key: key, size: size, modificationDate: date)
    case 404: return nil
    default: throw failure(answer, call)
    }
  }

  private func list(
    _ call: StoreCall, _ prefix: String, _ start: ObjectKey?, _ limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    let base = address.prefix.isEmpty ? "" : address.prefix + "/"
    var after = start.map { base + $0.string }
    while true {
      var query = [
        "encoding-type": "url", "list-type": "2", "max-keys": "\(min(max(1, limit), 1_000))",
        "prefix": base + prefix,
      ]
      query["start-after"] = after
      let answer = try await request("GET", call, query: query)
      guard answer.status == 200 else { throw failure(answer, call) }
      let (page, lastName) = try page(of: answer, beneath: base)
      if !page.hasMore { return page }
      guard let last = lastName else {
        throw ObjectStoreError(
          .unsound, call, in: place, reason: "a page of a listing is empty, and there is more behind it")
      }
      guard after.map({ $0.utf8.lexicographicallyPrecedes(last.utf8) }) ?? true else {
        throw ObjectStoreError(.invalidAnswer, call, in: place, reason: "a listing does not go on")
      }
      if !page.objects.isEmpty { return page }
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
  private func request(
    _ method: String, _ call: StoreCall, query: [String: String] = [:], headers: [String: String] = [:],
    body: Data = Data(), limit: Int = Self.answerLimit
  ) async throws(ObjectStoreError) -> Answer {
    var path = address.usesPathStyle ? "/" + address.bucket : ""
    if let key = call.key {
      path += "/" + (address.prefix.isEmpty ? "" : address.prefix + "/") + key.string
    } else if path.isEmpty {
      path = "/"
    }
    let request = HTTPRequest(
      method: method, isEncrypted: address.isEncrypted,
      host: address.usesPathStyle ? address.host : "\(address.bucket).\(address.host)", port: address.port,
      path: path.utf8.percentEncoded(keeping: "/"),
      query: query.sorted { $0.key < $1.key }.map { "\($0)=\($1.utf8.percentEncoded())" }.joined(
        separator: "&"),
      headers: headers, body: body)
    var answer = try await transmit(request, call, limit: limit)
    if keys.areRenewable, hasExpiredKeys(answer, call) {
      answer = try await transmit(request, call, limit: limit, instead: answer.credentials)
    }
    if let reason = stranger(answer) {
      throw ObjectStoreError(.invalidAnswer, call, in: place, reason: reason)
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

  private func transmit(
    _ request: HTTPRequest, _ call: StoreCall, limit: Int, instead expired: S3Credentials? = nil
  ) async throws(ObjectStoreError) -> Answer {
    let credentials: S3Credentials
    do throws(S3KeyProblem) {
      credentials = try await keys.credentials(at: now(), instead: expired)
    } catch {
      throw ObjectStoreError(.noKeys, call, in: place, reason: error.reason)
    }
    var request = request
    SignatureV4(credentials, region: address.region).sign(&request, at: now())
    // An encoded body would have another length.
    request.headers["accept-encoding"] = "identity"
    do {
      return Answer(response: try await transport.send(request, limit: limit), credentials: credentials)
    } catch {
      throw ObjectStoreError(without: error, call, in: place)
    }
  }

  private func hasExpiredKeys(_ answer: Answer, _ call: StoreCall) -> Bool {
    // The answer to HEAD has no body with the reason.
    if case .head = call { return answer.status == 400 || answer.status == 403 }
    return answer.status >= 400
      && ["ExpiredToken", "TokenRefreshRequired"].contains(error(of: answer)?["Code"])
  }

  // MARK: Answers

  /// Returns a page, and its last name, which may be no key.
  private func page(
    of answer: Answer, beneath base: String
  ) throws(ObjectStoreError) -> (ObjectListing, lastName: String?) {
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
    var page = ObjectListing(objects: [], hasMore: text["IsTruncated"] == "true")
    var lastName: String?
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
      if let last = lastName, !last.utf8.lexicographicallyPrecedes(name.utf8) {
        throw invalid("it is not in order")
      }
      lastName = name
      if let key = ObjectKey(String(name.dropFirst(base.count))) {
        page.objects.append(StoredObject(key: key, size: size, modificationDate: date))
      }
    }
    return (page, lastName)
  }

  /// Returns the error of S3 that an answer has; nil for another text.
  private func error(of answer: Answer) -> S3Answer? {
    // A body that is no error of S3 has no reason to show.
    (try? S3Answer(answer.body)).flatMap { $0.name == "Error" ? $0 : nil }
  }

  /// Whether an answer says that there is no object.
  private func isAbsent(_ answer: Answer) -> Bool {
    answer.status == 404 && error(of: answer)?["Code"] != "NoSuchBucket"
  }

  private func failure(_ answer: Answer, _ call: StoreCall) -> ObjectStoreError {
    let error = error(of: answer)
    let code = error?["Code"]
    var reason = "status \(answer.status)"
    if let code { reason += ", \(shown(code, answer.credentials))" }
    if let message = error?["Message"], !message.isEmpty {
      reason += ": \(shown(message, answer.credentials))"
    }
    if let region = answer.headers["x-amz-bucket-region"], region != address.region {
      reason += ", the bucket is in the region \(shown(region, answer.credentials))"
    }
    // `Duration` takes no number beyond its range, and a server may send any.
    let seconds = answer.headers["retry-after"].flatMap { Double($0) }.flatMap {
      $0 >= 0 ? min($0, 1e6) : nil
    }
    return ObjectStoreError(
      ObjectStoreError.Code(status: answer.status, code), call, in: place, reason: reason,
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
  init(without answer: HTTPFailure, _ call: StoreCall, in place: String) {
    switch answer {
    case .unreachable(let reason): self.init(.unreachable, call, in: place, reason: reason)
    case .timedOut: self.init(.timedOut, call, in: place)
    case .untrusted(let reason): self.init(.untrusted, call, in: place, reason: reason)
    case .malformed(let reason):
      self.init(.invalidAnswer, call, in: place, reason: "the answer is no HTTP: \(reason)")
    case .tooLarge: self.init(.invalidAnswer, call, in: place, reason: "the answer does not end")
    case .cancelled: self.init(.cancelled, call, in: place)
    }
  }
}
