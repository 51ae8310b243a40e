import CommandSupport
import FoundationEssentials

/// Returns the versions of a document in a container folder that are not on this machine; nil in another folder.
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

extension ShownVersion {
  /// The versions that are not on this machine, in the order of the list.
  static func list(_ places: VersionPlaces) -> [ShownVersion] {
    places.stored.map { ShownVersion($0) } + places.kept.map { ShownVersion($0) }
  }
}
