import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import ImageNotes
import Synchronization

/// An open document, and the commands of its user.
struct DocumentSession {
  let document: Document<ImageNotes>
  let output: SessionOutput

  init(_ path: String, keepsHistory: Bool, _ output: SessionOutput) async throws {
    var options = DocumentOptions<ImageNotes>()
    // With no option set, a save returns only when other programs see it too.
    options.saving = []
    options.keepsHistory = keepsHistory
    options.errorHandler = { output.tell($0) }
    options.eventHandler = { output.tell($0) }
    self.output = output
    document = try await Document.openNotes(at: path, options)
    for copy in await document.recoveryCopies {
      let folder = copy.url.path
      output.tell(
        .init(event: "recoverable", paths: [folder]),
        "the recovery copy \(display(folder)) has unsaved edits: 'recover' applies them, 'discard' removes them"
      )
    }
  }

  // MARK: Commands

  /// Runs one line; returns false for the line that ends the session.
  func run(_ line: String) async -> Bool {
    do {
      guard let command = try SessionCommand.parse(line) else { return true }
      if command == .quit { return false }
      try await run(command)
    } catch {
      output.fail(errorMessage(of: error, .session), during: line)
    }
    return true
  }

  private func run(_ command: SessionCommand) async throws {
    switch command {
    case .show:
      let shown = ShownNotes(try await document.content)
      output.answer(.init(event: "content", content: shown)) { shown.print(to: &$0) }
    case .printText:
      let text = try await document.content.text
      output.answer(.init(event: "text", text: text)) {
        $0.write(text.isEmpty || text.hasSuffix("\n") ? text : text + "\n")
      }
    case .text(let text): try await edit("Change Text") { $0.text = text }
    case .append(let text): try await edit("Append") { $0.append(paragraph: text) }
    case .title(let title): try await edit("Rename") { $0.customName = title.isEmpty ? nil : title }
    case .addImage(let file): try await edit("Add Image") { try $0.add(imageAt: url(file)) }
    case .removeImage(let name): try await edit("Remove Image") { try $0.remove(image: name) }
    case .caption(let name, let caption):
      try await edit("Change Caption") { try $0.setCaption(caption, ofImage: name) }
    case .moveImage(let name, let place):
      try await edit("Move Image") { try $0.move(image: name, to: place) }
    case .undo: try await tellStep("undo", isMade: document.undo())
    case .redo: try await tellStep("redo", isMade: document.redo())
    case .save: try await document.save()
    case .saveAs(let path): try await document.save(to: url(path), for: .forCreating)
    case .revert: try await document.revert(toContentsOf: document.fileURL)
    case .status: try await showStatus()
    case .recover: try await takeInCopies()
    case .discard: for copy in try await copies() { try await document.discard(copy) }
    case .resolve: try await document.removeConflictVersions()
    case .help: showHelp()
    case .quit: break
    }
  }

  private func edit(_ name: String, _ body: @Sendable (inout ImageNotes) throws -> Void) async throws {
    // Each command is an undo step. Consecutive edits with the same name from the start would become one step.
    try await document.edit("") { try body(&$0) }
    await document.undo.setActionName(name)
    await tellEdits(name)
  }

  private func tellStep(_ name: String, isMade: Bool) async throws {
    if !isMade { throw InputError(description: "There is nothing to \(name).") }
    await tellEdits(name)
  }

  private func tellEdits(_ name: String) async {
    output.tell(
      .init(event: "edited", command: name, hasUnsavedChanges: await document.hasUnsavedChanges), nil)
  }

  private func copies() async throws -> [RecoveryCopy] {
    let copies = await document.recoveryCopies.filter { $0.kind == .edits }
    if copies.isEmpty { throw InputError(description: "There are no edits to recover.") }
    return copies
  }

  /// Recovers the copies, the oldest first, so that the latest edits prevail.
  private func takeInCopies() async throws {
    for copy in try await copies().reversed() { try await document.recover(copy) }
    output.tell(.init(event: "recovered"), "recovered, and not saved yet")
  }

  // MARK: Looking

  private func showStatus() async throws {
    let (path, state) = (await document.fileURL.path, await document.documentState)
    let isOpen = await document.isOpen
    let isChanged = await document.hasUnsavedChanges
    let undo = await document.undo.state
    let copies = await document.recoveryCopies.map(\.url.path)
    let conflicts = isOpen ? try await document.conflictVersionURLs().map(\.path) : []
    let line = SessionOutput.Line(
      event: "status", document: path, state: state.names, hasUnsavedChanges: isOpen ? isChanged : nil,
      undo: undo.canUndo ? undo.undoMenuItemTitle : nil,
      redo: undo.canRedo ? undo.redoMenuItemTitle : nil, recoveryCopies: copies,
      conflictVersions: conflicts)
    output.answer(line) { output in
      let edits = isChanged ? ", with unsaved changes" : isOpen ? ", saved" : ""
      output.line("\(display(path)): \(state)\(edits)")
      if undo.canUndo { output.line("undo: \(undo.undoMenuItemTitle)") }
      if undo.canRedo { output.line("redo: \(undo.redoMenuItemTitle)") }
      for copy in copies { output.line("recovery copy: \(display(copy))") }
      for folder in conflicts { output.line("conflict version: \(display(folder))") }
    }
  }

  private func showHelp() {
    let text = SessionCommand.descriptions.map { usage, meaning in
      usage + String(repeating: " ", count: max(1, 24 - usage.count)) + meaning
    }
    output.answer(.init(event: "help", text: text.joined(separator: "\n"))) {
      for line in text { $0.line(line) }
    }
  }

  // MARK: Ending

  /// Saves and closes the document. If the save fails, returns false, and the document stays open.
  func end() async -> Bool {
    do {
      try await document.close()
      return true
    } catch {
      output.fail(errorMessage(of: error, .session), during: "quit")
      return false
    }
  }
}
