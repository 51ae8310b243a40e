import FoundationEssentials

extension S3Settings {
  /// Looks for keys as awscli does.
  ///
  /// The order is the environment, unless the caller named a profile; the file of keys; a program of the profile; the
  /// file of settings. It starts no program.
  ///
  /// - Throws: `Problem` if there are no keys, or if the profile has keys of a kind that this library does not read.
  package func findKeys() throws(Problem) -> S3Keys {
    if !isNamed, let own = try pair(environment, Names.environment, "The environment") { return S3Keys(own) }
    try refuseOtherKinds()
    if let own = try pair(keys, Names.file, "The profile '\(profile)' in '\(keysPath)'") {
      return S3Keys(own)
    }
    if let line = config["credential_process"] ?? keys["credential_process"] {
      guard let words = Self.words(ofCommand: line), let program = words.first else {
        throw Problem(
          description: "The profile '\(profile)' has a credential_process without a program, or with an open "
            + "quotation mark. Correct it.")
      }
      return S3Keys(S3KeyProgram(program, Array(words.dropFirst())))
    }
    if let own = try pair(config, Names.file, "The profile '\(profile)' in '\(configPath)'") {
      return S3Keys(own)
    }
    throw Problem(
      description: "There are no keys. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them to "
        + "~/.aws/credentials.")
  }

  /// The names of a key, its secret and its token.
  private enum Names {
    static let environment = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]
    static let file = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"]
  }

  private func pair(
    _ values: [String: String], _ names: [String], _ place: String
  ) throws(Problem) -> S3Credentials? {
    let found = names.map { values[$0] }
    if let id = found[0], let secret = found[1] {
      return S3Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: found[2])
    }
    guard let missing = zip(names, found).prefix(2).first(where: { $1 == nil })?.0,
      let other = zip(names, found).prefix(2).first(where: { $1 != nil })?.0
    else { return nil }
    throw Problem(description: "\(place) has \(other), and no \(missing). Set both.")
  }

  /// Refuses kinds of keys that awscli would get from another service.
  private func refuseOtherKinds() throws(Problem) {
    let all = config.merging(keys) { $1 }
    let kinds = [
      ("role_arn", "takes a role"), ("web_identity_token_file", "takes a role by a token"),
      ("sso_session", "signs in by SSO"), ("sso_start_url", "signs in by SSO"),
      ("login_session", "signs in by a browser"),
    ]
    if let (key, words) = kinds.first(where: { all[$0.0] != nil }) {
      throw Problem(
        description:
          "The profile '\(profile)' \(words) (\(key)), which is not supported. Use another profile with "
          + "'credential_process = aws configure export-credentials --profile \(profile)'.")
    }
    if !isNamed, environment["AWS_WEB_IDENTITY_TOKEN_FILE"] != nil {
      throw Problem(
        description:
          "The environment has a role by a token (AWS_WEB_IDENTITY_TOKEN_FILE), which is not supported. Use "
          + "a profile with 'credential_process = aws configure export-credentials'.")
    }
  }

  /// Returns the words of a command line: quotation marks and backslashes keep spaces, and nothing else is special.
  ///
  /// - Returns: nil if a quotation mark is not closed.
  static func words(ofCommand line: String) -> [String]? {
    var (words, word): ([String], String?) = ([], nil)
    var quote: Character?
    var rest = line[...]
    while let character = rest.popFirst() {
      if character == "\\", quote != "'" {
        guard let next = rest.popFirst() else { return nil }
        // Between double quotation marks a backslash counts before these two only.
        if quote == "\"", next != "\"", next != "\\" { word = (word ?? "") + "\\" }
        word = (word ?? "") + String(next)
      } else if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "\"" || character == "'" {
        (quote, word) = (character, word ?? "")
      } else if character.isWhitespace {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let done = word { words.append(done) }
    return quote == nil ? words : nil
  }
}
