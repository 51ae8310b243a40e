import ArgumentParser
import CommandSupport
import Documents
import FilePackages
import ImageNotes

struct Edit: WritingCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a document in one save.",
    discussion: """
      The options for text, title and images are for ImageNotes documents. --set and --remove work on any package, \
      and on the files of a folder that is no document. All changes of one call are saved together or not at all. A \
      child that has the bytes already is not written again.

      If a document has 'Metadata.plist', as those of `docpkg new` do, its history keeps the version before the \
      save. `docpkg undo` restores that version. Keeping a version costs no more than removing it. A package of \
      another program has no 'Metadata.plist' and no history, so its saves cannot be undone. `docpkg versions start` \
      adds 'Metadata.plist' and begins a history. A folder of documents never has one.

      In a document with a database, --set and --remove change files below AdditionalContent, in one edit that its \
      application can undo.

      A value may begin with a dash, as in --append '- milk'. In NAME=FILE and similar values, the first = ends the \
      name; \\= stands for a = in the name. A file replaces a folder only if the folder is removed as well, or with \
      --force.

      Examples:
        docpkg edit Trip.imageNotes --append "The hut at last." --add-image Hut.jpeg
        docpkg edit Trip.imageNotes --caption Hut.jpeg=Evening
        docpkg edit Trip.imageNotes --move-image Hut.jpeg=1
        docpkg edit Book.epub --set EPUB/text/ch001.xhtml=chapter.xhtml

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  @Option(parsing: .unconditional, help: "The new text.")
  var text: String?

  @Option(path: "A file with the new text, - for standard input.")
  var textFile: String?

  @Option(parsing: .unconditional, help: "A paragraph to add at the end of the text.")
  var append: String?

  @Option(
    parsing: .unconditional,
    help: "A name for the document; if it is empty, the first line of the text is the name again.")
  var title: String?

  @Option(name: .customLong("add-image"), paths: "An image to add at the end.")
  var addedImages: [String] = []

  @Option(
    name: .customLong("replace-image"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("An image, and the file whose bytes replace it.", valueName: "name=file"))
  var replacedImages: [FileAssignment] = []

  @Option(
    name: .customLong("caption"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A caption for an image.", valueName: "name=text"))
  var captions: [Assignment] = []

  @Option(
    name: .customLong("move-image"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("An image and its new place in the order, from 1.", valueName: "name=place"))
  var movedImages: [Assignment] = []

  @Option(
    name: .customLong("remove-image"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("An image to remove.", valueName: "name"))
  var removedImages: [String] = []

  @Option(
    name: .customLong("set"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A child to write from a file (- for standard input); missing folders are made.",
      valueName: "child=file"))
  var setChildren: [FileAssignment] = []

  @Option(
    name: .customLong("remove"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A child to remove; a folder is removed with its contents.", valueName: "child"))
  var removedChildren: [String] = []

  @Flag(
    name: .shortAndLong, help: "Replace and remove children that are read-only, and replace folders by files."
  )
  var force = false

  @Flag(help: "Do not begin a history in a document that has none.")
  var noHistory = false

  @OptionGroup var writing: WritingOptions

  func validate() throws {
    if text != nil && textFile != nil { throw ValidationError("Give either --text or --text-file.") }
    try checkStandardInput(in: [textFile] + setChildren.map(\.file))
    for move in movedImages where Int(move.value).map({ $0 < 1 }) ?? true {
      throw ValidationError("'\(move.value)' is not a place in the order; the first place is 1.")
    }
    let parts = (setChildren.map(\.name) + removedChildren).filter(["Text.txt", "Images.txt"].contains)
    if let part = parts.first, changesNotes {
      throw ValidationError("'\(part)' is changed by the other options, too: give one or the other.")
    }
  }

  var changesNotes: Bool {
    text != nil || textFile != nil || append != nil || title != nil
      || !(addedImages + removedImages).isEmpty || !replacedImages.isEmpty
      || !(captions + movedImages).isEmpty
  }

  func run() async throws {
    // `validate()` does not check this, so that the parser reports an unknown option first.
    if !changesNotes && setChildren.isEmpty && removedChildren.isEmpty {
      throw ValidationError("Say what to change, as with --append, --add-image or --set.")
    }
    if changesNotes && setChildren.isEmpty && removedChildren.isEmpty && !writing.dryRun {
      try await editDocument()
    } else if changesNotes {
      var (store, notes) = try await ImageNotes.open(path)
      try change(&notes)
      try changes.apply(to: await store.tree)
      if writing.dryRun { return try await report(store.plan(notes).listed) }
      let done = try await interruptible { [store, notes] in
        await store.close(after: try await store.save(notes, options: changes.saving))
      }
      try await report(done)
    } else {
      switch try await document(at: path).edit(changes, dryRun: writing.dryRun) {
      case .planned(let steps): try await report(steps)
      case .done(let done): try await report(done)
      }
    }
  }

  private var changes: ChildChanges {
    ChildChanges(
      removed: removedChildren, written: setChildren.map { ($0.name, $0.file) }, isForced: force,
      beginsHistory: !noHistory)
  }

  private func report(_ steps: [PlannedStep]) async throws {
    if !steps.isEmpty, folderSigns(path)?.hasOwnMetadata != true { try await warnOfNoHistory() }
    try writing.report(steps)
  }

  private func report(_ done: SaveReport) async throws {
    if done.strategy != .none && done.generation == nil { try await warnOfNoHistory() }
    try writing.report(done, of: path)
  }

  /// Warns the user before an edit that `docpkg undo` cannot take back.
  private func warnOfNoHistory() async throws {
    if noHistory || writing.quiet { return }
    let document = display(path)
    if await folderKind(of: path) == .library {
      return StandardError.write(
        "docpkg: '\(document)' is a folder, and no document: 'docpkg undo' cannot undo this change\n")
    }
    StandardError.write(
      folderSigns(path)?.hasMetadata == true
        ? "docpkg: '\(document)' keeps no versions, since its 'Metadata.plist' is another program's: 'docpkg undo' "
          + "cannot undo this save\n"
        : "docpkg: '\(document)' has no 'Metadata.plist' and keeps no versions: 'docpkg undo' cannot undo this save; "
          + "'docpkg versions start \(document)' begins a history\n")
  }

  /// Edits the content through an open document, which merges saves of other programs. Children by their paths are
  /// no part of a content, and a plan needs a tree, so both go through the store.
  private func editDocument() async throws {
    let document = try await Document.openNotes(at: path, .oneSave(changes.saving))
    let wasInConflict = await document.documentState.contains(.inConflict)
    try await document.edit { try change(&$0) }
    let (done, isInConflict) = try await interruptible {
      let done = try await document.save()
      let isInConflict = await document.documentState.contains(.inConflict)
      return (try await document.close(after: done), isInConflict)
    }
    try await report(done)
    if isInConflict && !wasInConflict {
      StandardError.write(
        "docpkg: another program changed the same meanwhile; '.docpkg/conflicts' has its changes\n")
      throw ExitCode(ExitStatus.different)
    }
  }

  private func change(_ notes: inout ImageNotes) throws {
    if let text = try CommandSupport.text(text, file: textFile) { notes.text = text }
    if let append { notes.append(paragraph: append) }
    if let title { notes.customName = title.isEmpty ? nil : title }
    for name in removedImages { try notes.remove(image: name) }
    for replacement in replacedImages {
      try notes.replace(image: replacement.name, withImageAt: url(replacement.file))
    }
    for image in addedImages { try notes.add(imageAt: url(image)) }
    for caption in captions { try notes.setCaption(caption.value, ofImage: caption.name) }
    for move in movedImages { try notes.move(image: move.name, to: (Int(move.value) ?? 1) - 1) }
  }
}
