import ArgumentParser
import CommandSupport
import FilePackages
import FoundationEssentials

extension CompletionKind {
  /// The paths of the children of the document that the command line names, up to a thousand.
  static let children = CompletionKind.custom { words, _, _ async in
    await inDocument(of: words) { store in
      var paths: [String] = []
      try await store.forEachEntry(attributes: false) { if paths.count < 1000 { paths.append($0.path) } }
      return paths
    }
  }

  /// The identifiers of the versions of that document, by their first digits.
  static let versions = CompletionKind.custom { words, _, _ async in
    await inDocument(of: words) { store in
      let ids = try await store.versions().map(\.persistentIdentifier) + store.conflictVersions().map(\.id)
      return ids.map { String($0.uuidString.prefix(8)) }
    }
  }

  /// Returns the words that `body` finds in the document of a command line: the first folder behind the command's name.
  private static func inDocument(
    of words: [String], _ body: @Sendable (PackageStore) async throws -> [String]
  ) async -> [String] {
    let folder = words.dropFirst(2).map(unquoted).first {
      FileManager.default.fileExists(atPath: $0 + "/")
    }
    guard let folder else { return [] }
    // A shell that completes has no place for errors.
    return (try? await PackageStore.reading(at: url(folder), body)) ?? []
  }

  /// Returns a word without the quotes and backslashes of a shell.
  private static func unquoted(_ word: String) -> String {
    var (text, quote, isEscaped) = ("", Character?.none, false)
    for character in word {
      if isEscaped {
        (isEscaped, text) = (false, text + String(character))
      } else if character == "\\" && quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil && "'\"".contains(character) {
        quote = character
      } else {
        text.append(character)
      }
    }
    return text
  }
}
