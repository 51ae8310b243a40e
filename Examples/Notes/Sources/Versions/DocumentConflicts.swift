import CloudContainers
import Documents
import FilePackages
import Foundation
import ImageNotes
import Synchronization

/// The conflict versions of one document, for the pages.
struct DocumentConflicts {
  /// A person's decision.
  struct Decision: Decodable, Sendable {
    enum Keep: String, Decodable {
      case present, version, both, merge
    }

    var keep: Keep
    var version: String?
    /// The versions that the person saw, as the list names them.
    var look: String
  }

  let entry: NotesLibrary.Entry
  let session: NotesSession
  let container: CloudContainer?

  /// The document and its conflict versions, side by side.
  func list() async throws -> ConflictList {
    let conflict = try await conflict()
    let merge = try conflict.map(Self.merged)
    let present = try await session.withDocument { try await $0.content }
    var sides: [ConflictList.Side] = []
    for version in conflict?.versions ?? [] {
      let id = version.version.id
      sides.append(
        .init(
          version: id.uuidString, date: version.version.modificationDate?.milliseconds,
          computer: displayString(version.version.savingComputer ?? ""), text: version.content.text,
          title: version.content.customName ?? "",
          images: shown(version.content.images, "versions/\(id.uuidString)/images"),
          lines: Hunk.hunks(from: present.text, to: version.content.text)))
    }
    let merged = merge.map { ConflictList.Merge(text: $0.content.text, conflicts: $0.conflicts) }
    return ConflictList(
      name: entry.displayName,
      present: .init(
        version: "", date: conflict?.presentModificationDate?.milliseconds,
        computer: displayString(try await computer()),
        text: present.text,
        title: present.customName ?? "", images: shown(present.images, "images"), lines: []),
      versions: sides, merge: merged, look: (conflict?.versions ?? []).map(\.version).look)
  }

  /// Resolves the conflict, if its versions are still those that the person saw.
  ///
  /// - Parameters:
  ///   - makeDocument: makes a document of a version that is kept beside the present one.
  ///   - removeDocument: removes such a document, because the versions are still there.
  /// - Returns: the identifier of the document, for `both`.
  func resolve(
    _ decision: Decision, makeDocument: @escaping @Sendable (ImageNotes) async throws -> DocumentID,
    removeDocument: @Sendable (DocumentID) async throws -> Void
  ) async throws -> DocumentID? {
    let chosen = decision.version.flatMap { UUID(uuidString: $0) }
    let made = Mutex<[(version: UUID, document: DocumentID)]>([])
    let hasChanged = Mutex(false)
    let resolver = ConflictResolver<ImageNotes> { conflict in
      if conflict.versions.map(\.version).look != decision.look {
        hasChanged.withLock { $0 = true }
        return .undecided
      }
      switch decision.keep {
      case .present: return .keepPresent
      case .both:
        // Each version of this look becomes a document, so that none is lost.
        for version in conflict.versions {
          let id = try await makeDocument(version.content)
          made.withLock { $0.append((version.version.id, id)) }
        }
        return .keepPresent
      case .version:
        guard let version = conflict.versions.first(where: { $0.version.id == chosen }) else {
          throw HTTPRefusal.notFound
        }
        return .keep(version.version)
      case .merge: return .merged(try Self.merged(conflict).content)
      }
    }
    do {
      _ = try await session.changing { try await $0.resolveConflicts(with: resolver) }
    } catch {
      for (_, document) in made.withLock({ $0 }) { try await removeDocument(document) }
      throw error
    }
    if hasChanged.withLock({ $0 }) { throw Self.changed }
    let documents = made.withLock { $0 }
    return (documents.first { $0.version == chosen } ?? documents.first)?.document
  }

  private static let changed = HTTPRefusal(
    status: .conflict, message: "The versions of this document have changed since the page showed them.",
    advice: "Look at them again, and then decide.")

  /// The computer that saved the present version; empty if it is not known.
  private func computer() async throws -> String {
    if entry.place == .container, let name = try await container?.contentDevice(ofItemNamed: entry.name) {
      return name
    }
    return try await FileVersion.currentVersionOfItem(at: entry.url)?.localizedNameOfSavingComputer ?? ""
  }

  /// Looks at the conflict, and decides nothing.
  private func conflict() async throws -> DocumentConflict<ImageNotes>? {
    let seen = Mutex<DocumentConflict<ImageNotes>?>(nil)
    let look = ConflictResolver<ImageNotes> { conflict in
      seen.withLock { $0 = conflict }
      return .undecided
    }
    _ = try await session.changing { try await $0.resolveConflicts(with: look) }
    return seen.withLock { $0 }
  }

  /// Merges all versions. Lines that both sides changed come one after the other.
  ///
  /// A last line without an end is the same line as one with an end. The merged text ends as one of the texts does.
  private static func merged(
    _ conflict: DocumentConflict<ImageNotes>
  ) throws -> (content: ImageNotes, conflicts: Int) {
    var merged = conflict.present.endingLastLine()
    var conflicts = 0
    for version in conflict.versions.reversed() {
      let other = version.content.endingLastLine()
      let base = try version.base?.endingLastLine() ?? common(merged, other)
      let text = ThreeWayMerge(base: base.text, ours: merged.text, theirs: other.text)
      let result = try ImageNotes.merged(base: base, ours: other, theirs: merged)
      conflicts += result.conflicts.count
      merged = result.content
      merged.text = text.text(.both)
    }
    let texts = [conflict.present.text] + conflict.versions.map(\.content.text)
    if !texts.contains(where: \.endsLastLine), merged.text.endsLastLine { merged.text.removeLast() }
    return (merged, conflicts)
  }

  /// The parts that two contents have in common, as the base of a merge whose real base is not known.
  private static func common(_ one: ImageNotes, _ other: ImageNotes) throws -> ImageNotes {
    var base = one
    base.text = TextLines(one.text).common(with: TextLines(other.text))
    if one.customName != other.customName { base.customName = nil }
    for image in one.images {
      let twin = other.images.first { $0.name == image.name }
      if try twin?.file().hasSameContents(as: image.file()) != true { try base.remove(image: image.name) }
    }
    return base
  }

  private func shown(_ images: [ImageNotes.Image], _ path: String) -> [PageImage] {
    var facts = ImageFacts()
    return facts.shown(images, below: "/api/documents/\(entry.id.word)/\(path)")
  }
}

extension ImageNotes {
  /// The same with an end of the text's last line.
  fileprivate func endingLastLine() -> ImageNotes {
    var ended = self
    if !text.isEmpty, !text.endsLastLine { ended.text += text.contains("\r\n") ? "\r\n" : "\n" }
    return ended
  }
}

extension String {
  /// Whether the last line has an end. An end of two bytes is one character.
  fileprivate var endsLastLine: Bool { last?.isNewline == true }
}
