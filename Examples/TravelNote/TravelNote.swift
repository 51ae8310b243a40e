import Documents
import Foundation

// [1] The subclass becomes a value. `Document<TravelNote>` is the open document, and the value is its content.
// [2] The value holds no package: `fileWrapper(configuration:)` gets the tree on disk from the document.
struct TravelNote: DocumentContent {
  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.travel-note", conformingTo: .package)]
  }

  var text = ""
  private(set) var photos: [String: FileWrapper] = [:]

  init() {}

  // [3] A mutation only mutates. The document keeps the value before each edit, so that no code registers an undo.
  mutating func addPhoto(_ data: Data, named name: String) {
    photos[name] = FileWrapper(regularFileWithContents: data)
  }

  // `contents()` reads the photo before a save removes its file: an undo needs the bytes. It throws the reason, where
  // `regularFileContents` is nil.
  mutating func removePhoto(named name: String) throws {
    _ = try photos.removeValue(forKey: name)?.contents()
  }

  // [4] Reading is an initialiser, and its wrapper has its type. `child(named:)` and `children()` throw errors of the
  // disk, where `fileWrappers` is nil. The photos stay on the disk until `contents()` reads them, as before.
  init(configuration: ReadConfiguration) throws {
    let package = configuration.file
    text = String(decoding: try package.child(named: "Text.txt")?.contents() ?? Data(), as: UTF8.self)
    photos = try package.child(named: "Photos")?.children() ?? [:]
  }

  // [5] Writing returns the tree on disk with the new children. A wrapper of the text is new each time: the save
  // compares it with the file and writes it only if it differs. A photo has the same wrapper, and is not written again.
  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    let package = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    try package.setDescendant(FileWrapper(regularFileWithContents: Data(text.utf8)), at: "Text.txt")
    let saved = try package.child(named: "Photos")?.children() ?? [:]
    for (name, photo) in saved where photos[name] !== photo {
      try package.removeDescendant(at: "Photos/\(name)")
    }
    for (name, photo) in photos where saved[name] !== photo {
      try package.setDescendant(photo, at: "Photos/\(name)")
    }
    return package
  }
}

extension TravelNote {
  /// The behaviour that the subclass overrode, or that its controller observed.
  static func options(_ log: Log) -> DocumentOptions<TravelNote> {
    var options = DocumentOptions<TravelNote>()
    // [6] `handleError` is a closure. Nothing waits for it, so that there is no `super` to call.
    options.errorHandler = { log.note("error: \($0)") }
    // [7] The notification is an event, and the state is a part of it. `stateChanges` has the same states as a
    // sequence, for a view that follows them in a task of its own.
    options.eventHandler = { event in
      if case .stateChanged(let state) = event { log.note("state: \(state)") }
    }
    return options
  }
}
