import DurableIO
import FilePackages
import FoundationEssentials

/// The services from which a program in a cloud gets its keys.
enum S3KeyService {
  /// They are near, or not there at all. No proxy is on the way.
  private static let client = HTTPClient(
    times: .init(connecting: .seconds(1), idle: .seconds(2), total: .seconds(5)),
    environment: ProcessInfo.processInfo.environment.filter { $0.key.hasPrefix("SSL_CERT_") })

  /// Asks the metadata service of the machine, version 2: a token first, then the role, then its keys.
  static func answer(ofMachine address: String) async throws(S3KeyProblem) -> Data {
    let path = "/latest/meta-data/iam/security-credentials/"
    let service = "the metadata service"
    let token = try await send(
      "PUT", address, "/latest/api/token", ["x-aws-ec2-metadata-token-ttl-seconds": "21600"], service)
    let field = ["x-aws-ec2-metadata-token": String(decoding: token, as: UTF8.self)]
    let roles = String(decoding: try await send("GET", address, path, field, service), as: UTF8.self)
    guard let role = roles.split(whereSeparator: \.isNewline).first else {
      throw S3KeyProblem(reason: "the machine has no role")
    }
    return try await send("GET", address, path + role.utf8.percentEncoded(), field, service)
  }

  /// Asks the service of the container that the process runs in.
  ///
  /// - Parameter file: a file with the token, which may change.
  static func answer(
    ofContainer address: String, token: String?, tokenFile file: String?
  ) async throws(S3KeyProblem) -> Data {
    var token = token
    if let file {
      do {
        token = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
      } catch {
        throw S3KeyProblem(reason: "'\(file)' of AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE cannot be read")
      }
    }
    let field = token?.split(whereSeparator: \.isNewline).first.map(String.init)
    return try await send(
      "GET", address, "", field.map { ["authorization": $0] } ?? [:], "the container's service")
  }

  /// - Parameter path: goes behind the path of the address.
  private static func send(
    _ method: String, _ address: String, _ path: String, _ headers: [String: String], _ service: String
  ) async throws(S3KeyProblem) -> Data {
    guard let components = URLComponents(string: address), let host = components.host, !host.isEmpty,
      let scheme = components.scheme?.lowercased(), scheme == "https" || scheme == "http"
    else { throw S3KeyProblem(reason: "the address of \(service) is none of a server") }
    // A token goes to this machine, to the two services without encryption, or to an encrypted one.
    guard scheme == "https" || HTTPRequest.isLoopback(host) || isLinkLocal(host) else {
      throw S3KeyProblem(reason: "the address of \(service) is not encrypted and not on this machine")
    }
    let base = components.percentEncodedPath
    let request = HTTPRequest(
      method: method, isEncrypted: scheme == "https", host: host, port: components.port,
      path: path.isEmpty
        ? (base.isEmpty ? "/" : base) : (base.hasSuffix("/") ? String(base.dropLast()) : base) + path,
      query: components.percentEncodedQuery ?? "", headers: headers, body: Data())
    let answer: HTTPResponse
    do throws(HTTPFailure) {
      answer = try await client.send(request, limit: 64 << 10)
    } catch {
      throw S3KeyProblem(reason: "\(service) did not answer")
    }
    guard answer.status == 200 else {
      throw S3KeyProblem(reason: "\(service) answered with status \(answer.status)")
    }
    return answer.body
  }

  private static func isLinkLocal(_ host: String) -> Bool {
    host.hasPrefix("169.254.") || HTTPRequest.unbracketed(host).lowercased() == "fd00:ec2::254"
      || HTTPRequest.unbracketed(host).lowercased() == "fd00:ec2::23"
  }
}
