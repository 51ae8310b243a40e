import CommandSupport
import FoundationEssentials

/// Returns the versions that the container has of a document; nil in another folder than that of a container.
///
/// `docpkg-full` asks the store for them.
func containerVersions(at path: String) -> VersionPlaces? {
  if containerFolder(around: path) == nil { return nil }
  let decoder = JSONDecoder()
  decoder.dateDecodingStrategy = .iso8601
  let answer = Companion.answer(of: ["cloud", "version-places", path])
  var places = VersionPlaces()
  do {
    if let output = answer.output {
      return try decoder.decode(VersionPlaces.self, from: Data(output.utf8))
    }
    places.problems = ["The versions in the container are not listed. \(answer.problem ?? "")"]
  } catch {
    places.problems = ["The versions in the container are not listed: 'docpkg-full' gave another answer."]
  }
  return places
}
