import FoundationEssentials
package import SystemPackage

/// The store of a benchmark: a folder, or an S3 service without encryption.
package enum BenchmarkStore: Sendable {
  case folder(FilePath)
  case service(Service)

  /// An S3 service. Programs find the keys as awscli does.
  package struct Service: Sendable {
    package var bucket: String
    /// The first part of all keys, which no other objects have.
    package var prefix: String
    package var host: String
    package var port: Int
    package var region: String?
    package var profile: String?

    package init(
      bucket: String, prefix: String, host: String, port: Int, region: String? = nil, profile: String? = nil
    ) {
      (self.bucket, self.prefix, self.host, self.port) = (bucket, prefix, host, port)
      (self.region, self.profile) = (region, profile)
    }
  }
}

/// A program that brings a folder to a store.
package enum CloudProgram: String, Sendable, CaseIterable {
  case docpkg, rclone, awscli, restic
  /// docpkg with an encrypted container.
  case encrypted

  /// Whether the program is this one.
  var isOwn: Bool { self == .docpkg || self == .encrypted }
}

/// The command lines of programs that use one store.
struct CloudCommands {
  /// The path of docpkg.
  let docpkg: FilePath
  let store: BenchmarkStore
  /// The port that counts; nil for a folder.
  let port: Int?
  /// A folder for the caches and settings of programs.
  let scratch: FilePath

  /// Makes a place for `name` in the store.
  ///
  /// - Parameter folder: the local folder.
  /// - Throws: `StrategyUnavailable` for another program than docpkg and a folder as the store.
  func prepare(_ program: CloudProgram, _ folder: FilePath, as name: String) throws {
    switch program {
    case .docpkg: try run(program, cloud("init", folder, as: name) + ["--no-encrypt"])
    case .encrypted: try run(program, cloud("init", folder, as: name) + ["--encrypt"])
    case .rclone, .awscli: _ = try service(program)  // It throws for a folder.
    case .restic: try run(program, ["-r", try restic(name), "init"])
    }
  }

  /// Brings the folder to its place in the store.
  ///
  /// - Parameter output: a file for the program's output.
  func sync(_ program: CloudProgram, _ folder: FilePath, as name: String, output: FilePath? = nil) throws {
    switch program {
    case .docpkg, .encrypted: try run(program, ["cloud", "sync", folder.string, "--json"], output: output)
    case .rclone:
      let service = try service(program)
      try run(
        program,
        [
          "sync", "--fast-list", "--transfers", "8", folder.string,
          "bench:\(service.bucket)/\(service.prefix)/\(name)",
        ])
    case .awscli:
      let service = try service(program)
      try run(
        program,
        [
          "--endpoint-url", endpoint, "s3", "sync", "--quiet", folder.string,
          "s3://\(service.bucket)/\(service.prefix)/\(name)",
        ])
    case .restic: try run(program, ["-r", try restic(name), "backup", folder.string])
    }
  }

  /// Makes `folder` one more folder of a container.
  func add(_ folder: FilePath, to name: String) throws { try run(.docpkg, cloud("add", folder, as: name)) }

  /// Runs another command of docpkg.
  func cloud(_ arguments: [String], output: FilePath? = nil) throws {
    try run(.docpkg, ["cloud"] + arguments, output: output)
  }

  /// Starts to bring a folder and its container together.
  func startSync(_ folder: FilePath, _ arguments: [String] = []) throws -> RunningChild {
    try process(.docpkg).start(docpkg.string, ["cloud", "sync", folder.string, "--quiet"] + arguments)
  }

  private var endpoint: String { "http://127.0.0.1:\(port ?? 0)" }

  private func cloud(_ command: String, _ folder: FilePath, as name: String) -> [String] {
    switch store {
    case .folder(let path):
      return ["cloud", command, path.appending(name).string, folder.string]
    case .service(let service):
      let address = "s3://\(service.bucket)/\(service.prefix)/\(name)"
      let region = service.region.map { ["--region", $0] } ?? []
      let profile = service.profile.map { ["--profile", $0] } ?? []
      return ["cloud", command, address, folder.string, "--endpoint", endpoint] + region + profile
    }
  }

  private func restic(_ name: String) throws -> String {
    let service = try service(.restic)
    return "s3:\(endpoint)/\(service.bucket)/\(service.prefix)/\(name)"
  }

  private func service(_ program: CloudProgram) throws -> BenchmarkStore.Service {
    guard case .service(let service) = store else {
      throw StrategyUnavailable(description: "\(program.rawValue) is measured with an S3 service only")
    }
    return service
  }

  private func run(_ program: CloudProgram, _ arguments: [String], output: FilePath? = nil) throws {
    let name = program.isOwn ? docpkg.string : program == .awscli ? "aws" : program.rawValue
    do {
      try process(program).run(name, arguments, output: output?.string)
    } catch is StrategyUnavailable {
      throw StrategyUnavailable(description: "'\(name)' is not installed")
    }
  }

  private func process(_ program: CloudProgram) -> ChildProcess {
    var process = ChildProcess()
    var variables: [String: String] = program.isOwn ? ["DOCPKG_PASSPHRASE": "benchmark"] : [:]
    process.environment = variables
    guard case .service(let service) = store else { return process }
    if !program.isOwn {
      variables["AWS_PROFILE"] = service.profile
      (variables["AWS_REGION"], variables["AWS_DEFAULT_REGION"]) = (service.region, service.region)
      // No connection here is encrypted, and rclone takes no other bundle of certificates.
      variables["AWS_CA_BUNDLE"] = ""
    }
    switch program {
    case .docpkg, .encrypted, .awscli: break
    case .rclone:
      variables["RCLONE_CONFIG"] = scratch.appending("rclone.conf").string
      variables["RCLONE_CONFIG_BENCH_TYPE"] = "s3"
      variables["RCLONE_CONFIG_BENCH_PROVIDER"] = "Other"
      variables["RCLONE_CONFIG_BENCH_ENV_AUTH"] = "true"
      variables["RCLONE_CONFIG_BENCH_ENDPOINT"] = endpoint
    case .restic:
      variables["RESTIC_PASSWORD"] = "benchmark"
      variables["RESTIC_CACHE_DIR"] = scratch.appending("restic").string
    }
    process.environment = variables
    return process
  }
}
