import CommandSupport
import FoundationEssentials

/// The versions that a container has of a document.
struct ContainerVersions {
  var listed: [ListedVersion] = []
  /// The reason why they are not listed; nil if they are.
  var problem: String?

  /// Asks `docpkg-full` for the versions; nil in another folder than that of a container.
  init?(at path: String) {
    if containerFolder(around: path) == nil { return nil }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let answer = Companion.answer(of: ["cloud", "versions", "--json", "--", path])
    do {
      if let output = answer.output {
        listed = try decoder.decode([ListedVersion].self, from: Data(output.utf8))
      } else {
        problem = "The versions in the container are not listed. \(answer.problem ?? "")"
      }
    } catch {
      problem = "The versions in the container are not listed: 'docpkg-full' gave another answer."
    }
  }
}
