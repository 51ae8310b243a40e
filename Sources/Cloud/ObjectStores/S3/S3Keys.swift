import FilePackages
package import FoundationEssentials

/// The source of the keys for a store. It renews temporary keys before they expire.
public actor S3Keys {
  /// The origin of temporary keys.
  enum Source: Sendable {
    /// A program that prints them.
    case program(String, [String])
    /// The service of the container that the process runs in.
    case container(String, token: String?, tokenFile: String?)
    /// The metadata service of the machine.
    case machine(String)
  }

  /// Temporary keys, with their end.
  struct Temporary: Sendable {
    var credentials: S3Credentials
    /// The end; nil if the source gave none.
    var expiration: Date?
    /// The date from which on a request asks for new keys first.
    var renewal: Date?

    init(_ credentials: S3Credentials, expiration: Date?, at now: Date) {
      (self.credentials, self.expiration) = (credentials, expiration)
      // Five minutes before the end, or in the last quarter of a short life.
      renewal = expiration.map { $0.addingTimeInterval(-min(300, max(0, $0.timeIntervalSince(now)) / 4)) }
    }
  }

  private enum Origin {
    case fixed(S3Credentials)
    case renewable(Source)
  }

  private let origin: Origin
  private var current: Temporary?
  private var asking: Task<Result<Temporary, S3KeyProblem>, Never>?

  /// Makes a source of permanent keys.
  public init(_ credentials: S3Credentials) { origin = .fixed(credentials) }

  init(_ source: Source) { origin = .renewable(source) }

  /// Returns the keys for a request.
  ///
  /// - Parameter refused: keys that the store calls expired; they are not returned again.
  /// - Throws: `S3KeyProblem` if there are no keys besides the refused ones.
  package func credentials(at now: Date, instead refused: S3Credentials? = nil) async throws(S3KeyProblem)
    -> S3Credentials
  {
    switch origin {
    case .fixed(let credentials):
      if refused != nil { throw S3KeyProblem(reason: "the keys have expired") }
      return credentials
    case .renewable(let source):
      if let current, current.credentials != refused, current.renewal.map({ now < $0 }) ?? true {
        return current.credentials
      }
      // Requests that come meanwhile wait for the same answer.
      let task = asking ?? Task { await source.ask(at: now) }
      asking = task
      let answer = await task.value
      if asking == task { asking = nil }
      switch answer {
      case .success(let new):
        current = new
        return new.credentials
      case .failure(let problem):
        // The keys from before may count for some minutes yet.
        if let current, current.credentials != refused, current.expiration.map({ now < $0 }) ?? true {
          return current.credentials
        }
        throw problem
      }
    }
  }

  /// Whether there may be other keys after these expired.
  nonisolated var areRenewable: Bool {
    if case .renewable = origin { true } else { false }
  }
}

/// The reason why a source gave no keys, without a secret.
package struct S3KeyProblem: Error, Sendable, Hashable {
  package var reason: String
}

extension S3Keys.Source {
  /// Asks for keys.
  func ask(at now: Date) async -> Result<S3Keys.Temporary, S3KeyProblem> {
    do throws(S3KeyProblem) {
      switch self {
      case .program(let program, let arguments):
        let output = try await S3KeyProgram(program, arguments).output()
        return .success(
          try S3KeyAnswer.read(output, of: "the program '\(program)'", hasVersion: true, at: now))
      case .container(let address, let token, let file):
        let bytes = try await S3KeyService.answer(ofContainer: address, token: token, tokenFile: file)
        return .success(try S3KeyAnswer.read(bytes, of: "the container's service", at: now))
      case .machine(let address):
        let bytes = try await S3KeyService.answer(ofMachine: address)
        return .success(try S3KeyAnswer.read(bytes, of: "the metadata service", at: now))
      }
    } catch {
      return .failure(error)
    }
  }
}

/// The JSON text with temporary keys.
private struct S3KeyAnswer: Decodable {
  var version: Int?
  var accessKeyID: String
  var secretAccessKey: String
  var sessionToken: String?
  var token: String?
  var expiration: String?

  private enum CodingKeys: String, CodingKey {
    case version = "Version"
    case accessKeyID = "AccessKeyId"
    case secretAccessKey = "SecretAccessKey"
    case sessionToken = "SessionToken"
    case token = "Token"
    case expiration = "Expiration"
  }

  /// - Parameter source: the words for the origin in an error, which repeats nothing of the answer.
  static func read(
    _ bytes: Data, of source: String, hasVersion: Bool = false, at now: Date
  ) throws(S3KeyProblem) -> S3Keys.Temporary {
    let answer: S3KeyAnswer
    do {
      answer = try JSONDecoder().decode(S3KeyAnswer.self, from: bytes)
    } catch {
      throw S3KeyProblem(reason: "\(source) gave no JSON with AccessKeyId and SecretAccessKey")
    }
    if hasVersion, answer.version != 1 {
      throw S3KeyProblem(reason: "\(source) gave keys of another version than 1")
    }
    var expiration: Date?
    if let text = answer.expiration {
      expiration =
        (try? Date(text, strategy: .iso8601))  // The guard below has the error.
        ?? (try? Date(
          text,
          strategy: .iso8601.year().month().day().timeZone(separator: .colon).time(
            includingFractionalSeconds: true)))
      guard let expiration else { throw S3KeyProblem(reason: "\(source) gave an Expiration that is no date") }
      if expiration <= now { throw S3KeyProblem(reason: "\(source) gave keys that have expired") }
    }
    let keys = S3Credentials(
      accessKeyID: answer.accessKeyID, secretAccessKey: answer.secretAccessKey,
      sessionToken: answer.sessionToken ?? answer.token)
    return S3Keys.Temporary(keys, expiration: expiration, at: now)
  }
}
