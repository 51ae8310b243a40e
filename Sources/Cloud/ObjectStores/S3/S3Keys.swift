import FilePackages
package import FoundationEssentials

/// The source of the keys for a store. It renews temporary keys before they expire.
package actor S3Keys {
  /// Temporary keys, with their end.
  private struct Temporary {
    var credentials: S3Credentials
    /// The end; nil if the program gave none.
    var expiration: Date?
    /// The date from which on a request asks for new keys first.
    var renewal: Date?
  }

  private enum Origin {
    case fixed(S3Credentials)
    case program(S3KeyProgram)
  }

  private let origin: Origin
  private var current: Temporary?
  private var asking: Task<Result<Temporary, S3KeyProblem>, Never>?

  /// Makes a source of permanent keys.
  package init(_ credentials: S3Credentials) { origin = .fixed(credentials) }

  /// Makes a source that runs a program, which prints temporary keys.
  init(_ program: S3KeyProgram) { origin = .program(program) }

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
    case .program(let program):
      if let current, current.credentials != refused, current.renewal.map({ now < $0 }) ?? true {
        return current.credentials
      }
      // Requests that come meanwhile wait for the same answer.
      let task = asking ?? Task { await Self.ask(program, at: now) }
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
    if case .program = origin { true } else { false }
  }

  /// The JSON text that a program prints.
  private struct Answer: Decodable {
    var version: Int
    var accessKeyID: String
    var secretAccessKey: String
    var sessionToken: String?
    var expiration: String?

    private enum CodingKeys: String, CodingKey {
      case version = "Version"
      case accessKeyID = "AccessKeyId"
      case secretAccessKey = "SecretAccessKey"
      case sessionToken = "SessionToken"
      case expiration = "Expiration"
    }
  }

  /// Asks a program for keys. An error repeats nothing of its output.
  private static func ask(_ program: S3KeyProgram, at now: Date) async -> Result<Temporary, S3KeyProblem> {
    do throws(S3KeyProblem) {
      return .success(try keys(of: try await program.output(), of: program, at: now))
    } catch {
      return .failure(error)
    }
  }

  private static func keys(
    of output: Data, of program: S3KeyProgram, at now: Date
  ) throws(S3KeyProblem) -> Temporary {
    let answer: Answer
    do {
      answer = try JSONDecoder().decode(Answer.self, from: output)
    } catch {
      throw S3KeyProblem(reason: "\(program) gave no JSON with Version, AccessKeyId and SecretAccessKey")
    }
    guard answer.version == 1 else {
      throw S3KeyProblem(reason: "\(program) gave keys of another version than 1")
    }
    var keys = Temporary(
      credentials: S3Credentials(
        accessKeyID: answer.accessKeyID, secretAccessKey: answer.secretAccessKey,
        sessionToken: answer.sessionToken))
    if let text = answer.expiration {
      guard let end = Date(iso8601: text) else {
        throw S3KeyProblem(reason: "\(program) gave an Expiration that is no date")
      }
      let life = end.timeIntervalSince(now)
      if life <= 0 { throw S3KeyProblem(reason: "\(program) gave keys that have expired") }
      // Five minutes before the end, or in the last quarter of a short life.
      (keys.expiration, keys.renewal) = (end, end.addingTimeInterval(-min(300, life / 4)))
    }
    return keys
  }
}

/// The reason why a source gave no keys, without a secret.
package struct S3KeyProblem: Error, Sendable, Hashable {
  package var reason: String
}
