import Documents
import FilePackages
import Foundation
import ImageNotes

/// The versions of one document, for the pages.
struct DocumentVersions {
  let id: DocumentID
  let url: URL

  /// The versions, the newest first.
  func list() async throws -> VersionList {
    let current = try await FileVersion.currentVersionOfItem(at: url)
    let others = try await FileVersion.otherVersionsOfItem(at: url) ?? []
    let versions = (current.map { [$0] } ?? []) + others
    // A version knows the children that the next one changed.
    let changed = versions.dropFirst().map(\.differences) + [nil]
    return VersionList(
      name: displayString(url.deletingPathExtension().lastPathComponent),
      versions: zip(versions, changed).map { version, changed in
        .init(
          version: version.persistentIdentifier.uuidString, date: version.modificationDate.milliseconds,
          computer: displayString(version.localizedNameOfSavingComputer), current: version.isCurrent,
          changed: changed)
      })
  }

  /// One version, and what changed since another one.
  ///
  /// - Parameter previous: the version before these changes; nil for a document that begins with them.
  func detail(_ identifier: UUID, since previous: UUID?) async throws -> VersionDetail {
    let version = try await version(identifier)
    let notes = try await notes(of: version)
    let images = shown(notes.images, of: identifier)
    var changes = VersionDetail.Changes(lines: [], images: [])
    if let previous {
      let before = try await self.notes(of: self.version(previous))
      changes.lines = Hunk.hunks(from: before.text, to: notes.text)
      changes.images = try ImageChange.changes(
        from: before.images, to: notes.images, shown(before.images, of: previous), images)
    } else {
      changes.lines = Hunk.hunks(from: "", to: notes.text)
    }
    return VersionDetail(
      date: version.modificationDate.milliseconds,
      computer: displayString(version.localizedNameOfSavingComputer),
      title: notes.customName ?? "", text: notes.text, images: images, changes: changes)
  }

  /// The words of a change, for a list of versions.
  func words(_ identifier: UUID, since previous: UUID?) async throws -> [Hunk] {
    let before = if let previous { try await notes(of: version(previous)).text } else { "" }
    return Hunk.hunks(from: before, to: try await notes(of: version(identifier)).text)
  }

  /// An image of a version.
  func image(_ key: String, of identifier: UUID) async throws -> FileWrapper {
    let notes = try await notes(of: version(identifier))
    guard let image = notes.images.first(where: { ImageFacts.key(of: $0.name) == key }) else {
      throw HTTPRefusal.notFound
    }
    return try image.file()
  }

  /// The content of a version.
  func notes(of identifier: UUID) async throws -> ImageNotes {
    try await notes(of: version(identifier))
  }

  private func version(_ identifier: UUID) async throws -> FileVersion {
    guard let version = try await FileVersion.version(itemAt: url, forPersistentIdentifier: identifier) else {
      throw HTTPRefusal(
        status: .notFound, message: "The document does not have this version any more.",
        advice: "Load the page again.")
    }
    return version
  }

  private func notes(of version: FileVersion) async throws -> ImageNotes {
    let contents = try await version.contents()
    return try ImageNotes(configuration: .init(contentType: .imageNotes, file: contents.tree))
  }

  private func shown(_ images: [ImageNotes.Image], of version: UUID) -> [PageImage] {
    var facts = ImageFacts()
    return facts.shown(images, below: "/api/documents/\(id.word)/versions/\(version.uuidString)/images")
  }
}

extension ImageChange {
  /// Compares the images of two versions by their names.
  static func changes(
    from old: [ImageNotes.Image], to new: [ImageNotes.Image], _ oldShown: [PageImage],
    _ newShown: [PageImage]
  ) throws -> [ImageChange] {
    var changes: [ImageChange] = []
    let before = Dictionary(zip(old.map(\.name), zip(old, oldShown)), uniquingKeysWith: { first, _ in first })
    for (image, shown) in zip(new, newShown) {
      guard let (earlier, earlierShown) = before[image.name] else {
        changes.append(
          ImageChange(kind: .added, name: image.name, after: shown.url, caption: ["", image.caption]))
        continue
      }
      let isSame = (try? image.file().hasSameContents(as: earlier.file())) ?? false
      if isSame && image.caption == earlier.caption { continue }
      changes.append(
        ImageChange(
          kind: isSame ? .caption : .changed, name: image.name, before: earlierShown.url, after: shown.url,
          caption: [earlier.caption, image.caption]))
    }
    let names = Set(new.map(\.name))
    for (image, shown) in zip(old, oldShown) where !names.contains(image.name) {
      changes.append(
        ImageChange(kind: .removed, name: image.name, before: shown.url, caption: [image.caption, ""]))
    }
    // Images that both have, in another order.
    let (left, right) = (old.map(\.name).filter(names.contains), new.map(\.name).filter { before[$0] != nil })
    for (index, name) in right.enumerated() where left[index] != name {
      let url = newShown.first { $0.name == name }?.url
      changes.append(ImageChange(kind: .moved, name: name, before: url, after: url, caption: []))
    }
    return changes
  }
}
