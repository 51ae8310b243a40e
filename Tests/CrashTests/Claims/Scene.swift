import Foundation

/// Everything that readers find in the folder of a command.
struct Scene: Sendable, Equatable {
  var documents: [String: DocumentSight] = [:]
  var files: [String: Data] = [:]

  /// The texts of the documents, and the bytes of the other files.
  var contents: Contents { Contents(texts: documents.mapValues(\.texts), files: files) }

  struct Contents: Equatable {
    var texts: [String: DocumentSight.Texts]
    var files: [String: Data]
  }

  /// Whether readers find the same children, without a look at versions and conflicts.
  func hasContents(of other: Scene) -> Bool { contents == other.contents }

  /// Returns what a scene with the same contents lacks or has in addition; versions count by their contents.
  ///
  /// - Parameter removed: the number of versions that must be missing; nil if there is no such number.
  func differences(from other: Scene, removed: Int?) -> [String] {
    documents.keys.sorted().flatMap { name -> [String] in
      guard let mine = documents[name], let its = other.documents[name] else { return [] }
      var differences: [String] = []
      let (counts, known) = (Self.counts(mine.versions.values), Self.counts(its.versions.values))
      let gone = its.versions.count - mine.versions.count
      let isKnown = counts.allSatisfy { $0.value <= known[$0.key, default: 0] }
      if !isKnown || gone > 0 && gone != removed {
        differences.append(
          "\(mine.versions.count) versions, not the \(its.versions.count) that should be there")
      }
      if mine.conflicts != its.conflicts {
        differences.append("\(mine.conflicts.count) conflict versions, not the \(its.conflicts.count)")
      }
      if mine.policy != its.policy { differences.append("another retention policy") }
      return differences
    }
  }

  private static func counts(_ versions: some Sequence<DocumentSight.Texts>) -> [DocumentSight.Texts: Int] {
    versions.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// The lines of `docpkg verify` for each document that is not whole.
  var problems: [String] { documents.sorted { $0.key < $1.key }.flatMap(\.value.problems) }

  /// The number of versions of all documents.
  var versions: Int { documents.values.reduce(0) { $0 + $1.versions.count } }
}
