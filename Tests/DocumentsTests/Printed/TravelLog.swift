import Documents
import Foundation

struct TravelLog: DocumentContent {
  static let type = UTType(
    exportedAs: "org.example.travellog", conformingTo: .package, filenameExtension: "travellog")
  static var readableContentTypes: [UTType] { [type] }

  var text = ""
  /// The photos by filename. Their bytes stay on disk until `contents()` reads them.
  var photos: [String: FileWrapper] = [:]

  init() {}

  init(configuration: ReadConfiguration) throws {
    let tree = configuration.file
    // A missing child is nil. A child that cannot be read throws.
    text = try tree.child(named: "Text.md").map { String(decoding: try $0.contents(), as: UTF8.self) } ?? ""
    photos = try tree.child(named: "Photos")?.children() ?? [:]
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    try tree.put(Data(text.utf8), named: "Text.md")
    let saved = try tree.child(named: "Photos")?.children() ?? [:]
    for name in saved.keys where photos[name] == nil {
      try tree.removeDescendant(at: "Photos/\(name)")
    }
    for (name, photo) in photos where saved[name] !== photo {
      try tree.setDescendant(photo, at: "Photos/\(name)")
    }
    return tree
  }
}

extension TravelLog: MergeableContent {
  static func merged(base: TravelLog, ours: TravelLog, theirs: TravelLog) throws -> MergeResult<TravelLog> {
    var result = MergeResult(theirs)
    let text = ThreeWayMerge(base: base.text, ours: ours.text, theirs: theirs.text)
    result.content.text = text.text()
    if !text.conflicts.isEmpty {
      result.conflicts.append(MergeConflict("Text.md", .bothChanged, kept: .ours, lines: text.conflicts))
    }
    for name in Set(base.photos.keys).union(ours.photos.keys) {
      let (old, mine, other) = (base.photos[name], ours.photos[name], theirs.photos[name])
      if try isSame(mine, old) || isSame(mine, other) { continue }
      result.content.photos[name] = mine
      if try !isSame(other, old) {
        result.conflicts.append(MergeConflict("Photos/\(name)", .bothChanged, kept: .ours))
      }
    }
    return result
  }

  /// The document merges every other child by itself.
  static func ownsChild(at path: String) -> Bool {
    path == "Text.md" || path == "Photos" || path.hasPrefix("Photos/")
  }

  private static func isSame(_ one: FileWrapper?, _ other: FileWrapper?) throws -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return try one.hasSameContents(as: other)
  }
}
