package import ArgumentParser
import CommandSupport
import FoundationEssentials
package import ObjectStores

/// The address of a store, as an argument or the settings of a container folder have it: `s3://bucket/prefix`, or the
/// path of a folder.
package struct StoreAddress: Sendable {
  /// The address without a secret. A folder's path is absolute.
  package let text: String
  /// Further values that an S3 service needs.
  package let options: [String: String]

  private enum Key {
    static let endpoint = "endpoint"
    static let region = "region"
    static let profile = "profile"
    static let allowsPlain = "allowsPlain"
  }

  /// Makes an address of the settings of a container folder.
  package init(_ text: String, _ options: [String: String]) { (self.text, self.options) = (text, options) }

  /// Makes an address of arguments.
  package init(_ argument: String, _ service: ServiceOptions) {
    if Self.isService(argument) {
      text = argument
      var options: [String: String] = [:]
      options[Key.endpoint] = service.endpoint
      options[Key.region] = service.region
      options[Key.profile] = service.profile
      if service.plain { options[Key.allowsPlain] = "true" }
      self.options = options
    } else {
      (text, options) = (absoluteURL(argument).path, [:])
    }
  }

  package static func isService(_ argument: String) -> Bool { argument.contains("://") }

  /// The path of the folder that is the store; nil for a service.
  package var folder: String? { Self.isService(text) ? nil : text }

  /// Opens the store.
  ///
  /// - Parameter limits: the limits of the requests; nil for none, as for a folder.
  /// - Throws: an error of the address, of the credentials or of the folder.
  package func open(_ limits: TransferLimits? = nil) throws -> any ObjectStore {
    if let folder {
      guard limits == nil else {
        throw InputError(
          description: "'\(text)' is a folder; --limit-rate is for a service.")
      }
      return try FolderStore(at: url(folder))
    }
    // An address with a password is refused before an error can repeat it.
    try check()
    do {
      let settings = try S3Settings(profile: options[Key.profile])
      let store = try S3Store(
        at: address(region: settings.region, endpoint: settings.endpoint), settings: settings,
        limits: limits ?? TransferLimits())
      if let warning = settings.warning { StandardError.write("docpkg: warning: \(warning)\n") }
      return store
    } catch let problem as S3Settings.Problem {
      throw InputError(description: "'\(text)' could not be opened. \(problem)")
    }
  }

  /// The options with the server of the environment or of awscli's files, if no option names one.
  ///
  /// A container folder stores it: a later command, such as one of a service, may have another environment.
  package func settledOptions() throws -> [String: String] {
    guard folder == nil, options[Key.endpoint] == nil else { return options }
    var options = options
    options[Key.endpoint] = try S3Settings(profile: options[Key.profile]).endpoint
    return options
  }

  /// Checks the address of a service, without a request and without the keys.
  ///
  /// - Throws: `InputError`, which repeats no password.
  package func check() throws {
    if folder == nil { _ = try address(region: nil, endpoint: nil) }  // It only checks.
  }

  /// Checks the address as an argument.
  func validate() throws(ValidationError) {
    do { try check() } catch { throw ValidationError("\(error)") }
  }

  /// Checks the place of the container folder beside the store's folder.
  func check(containerFolder place: URL) throws {
    guard let folder, "\(folder)/".hasPrefix(place.path + "/") || "\(place.path)/".hasPrefix(folder + "/")
    else { return }
    throw InputError(description: "The container folder and the store's folder must not be in each other.")
  }

  private func address(region: String?, endpoint: String?) throws -> S3Address {
    let (endpoint, region) = (options[Key.endpoint] ?? endpoint, options[Key.region] ?? region ?? "us-east-1")
    let allowsPlain = options[Key.allowsPlain] != nil
    do {
      return try S3Address(text, endpoint: endpoint, region: region, allowsPlain: allowsPlain)
    } catch {
      // The same address would do if plain http were allowed: the sentence names this command's option.
      guard !allowsPlain, (try? S3Address(text, endpoint: endpoint, allowsPlain: true)) != nil else {
        throw InputError(description: "\(error).")
      }
      throw InputError(
        description:
          "'\(endpoint ?? "")' is not encrypted. Use https, or permit plain http with --plain-http.")
    }
  }
}

/// The options of commands that take the address of a store.
package struct ServiceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The server of s3:// addresses, such as https://s3.example.org:9000; by default awscli's, or else Amazon's.",
      valueName: "url"))
  package var endpoint: String?

  @Option(
    help: ArgumentHelp(
      "The region; by default that of awscli's settings, or else us-east-1.", valueName: "name"))
  package var region: String?

  @Option(help: ArgumentHelp("The profile in awscli's files, which has the keys.", valueName: "name"))
  package var profile: String?

  @Flag(name: .customLong("plain-http"), help: "Permit a server without encryption that is another machine.")
  package var plain = false

  package init() {}
}

extension ObjectStoreError: CancellationReporting {
  package var isCancellation: Bool { code == .cancelled }
}
