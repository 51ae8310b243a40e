import Documents
import FilePackages
import Foundation
import ImageNotes

/// One open document, and the tabs that show it.
///
/// All changes are in one order, that of the document: those of tabs, of undo, of the disk. Each tab gets each of them,
/// with a number. A tab's change comes with the number that the tab had, and is transformed over the later ones.
///
/// - Each call that changes the document has its turn (`inTurn`). In its turn, a call first takes in what the document
///   got from the disk.
/// - A change is saved by the document's autosave. `StateEvent.saved` tells the tabs the last durable one. Until then the
///   tabs keep it, so a server that was killed loses nothing. The tab that made a change brings it back to the next run.
/// - So a tab gets the durable text and each change since then, with the tab that made it. A tab of an earlier run gets
///   the text with which this run began: no tab had brought anything back to that one.
actor NotesSession {
  /// News of the document, from its own code.
  private enum Signal: Sendable {
    case event(DocumentEvent)
    case error(DocumentError)
  }

  /// Tells the library of the new place of a document.
  typealias Moved = @Sendable (DocumentID, _ from: URL, _ to: URL) async -> NotesLibrary.DocumentMove

  /// Names this run of the document: the numbers of another run mean nothing.
  let epoch: String
  /// The document's name in addresses.
  private(set) var id: DocumentID
  private let document: Document<ImageNotes>
  private let moved: Moved
  /// The place of the document as the library knows it.
  private var place: URL

  private var text = ""
  /// The text with which this run began.
  private var firstText = ""
  /// The text that has the changes up to `saved`.
  private var durableText = ""
  private var shown = NotesEvent(title: "", displayName: "", images: [], missing: [])
  private var history = EditHistory()
  private var state = StateEvent(light: .saved, saved: 0, conflicts: 0)
  private var lastError: DocumentError?
  private var log = TextLog()
  private var saved = 0
  private var facts = ImageFacts()
  private var viewers = SessionViewers()
  /// The last change of each tab, which a tab sends again if its connection broke.
  private var lastOps: [String: (op: String, seq: Int)] = [:]
  private let turns = Turn()
  private let looks = Turn()
  private var listening: Task<Void, Never>?
  /// The time since which no page shows the document.
  private(set) var idleSince: ContinuousClock.Instant? = .now

  /// Opens a document.
  ///
  /// - Parameter moved: told of a new place that another program gave the document.
  init(
    _ id: DocumentID, at url: URL, provider: (any DocumentProvider)?, moved: @escaping Moved
  ) async throws {
    let (signals, continuation) = AsyncStream.makeStream(of: Signal.self)
    var options = DocumentOptions<ImageNotes>()
    options.provider = provider
    // `EditHistory` has the steps of each tab.
    options.undo = UndoPolicy(levels: 1)
    options.eventHandler = { continuation.yield(.event($0)) }
    options.errorHandler = { continuation.yield(.error($0)) }
    (self.id, self.moved, place) = (id, moved, url)
    epoch = ServerKey.random()
    document = try await Document<ImageNotes>.open(at: url, options: options)
    text = try await document.content.text
    (firstText, durableText) = (text, text)
    try await mergeExternalChanges()
    listening = Task { [weak self] in
      for await signal in signals { await self?.note(signal) }
    }
    await refreshState()
  }

  /// Whether the document is open; false after another program removed it.
  var isOpen: Bool { get async { await document.isOpen } }

  // MARK: Viewing

  /// Shows the document to a page.
  ///
  /// - Parameter known: the run and the number that the page has.
  /// - Returns: the page's channel, and its number for `leave(_:)`.
  /// - Throws: `HTTPRefusal` `serviceUnavailable` if the document is closed by now; the page connects again.
  func join(_ tab: String, known: (epoch: String, seq: Int)?) async throws -> (EventChannel, number: Int) {
    try await inTurn {
      guard await document.isOpen else { throw Self.isClosed }
      try await mergeExternalChanges()
      let name = await document.fileURL.deletingPathExtension().lastPathComponent
      let undo = UndoEvent(history.names(for: tab))
      let (channel, number) = viewers.add(tab, undo)
      idleSince = nil
      let start = start(of: known)
      let event = OpenEvent(
        id: id.word, epoch: epoch, seq: start.seq, saved: saved, name: name, title: shown.title,
        displayName: shown.displayName, text: start.text, images: shown.images, missing: shown.missing,
        undo: undo, state: state, tabs: viewers.tabs)
      channel.send(try ServerEvent(start.text == nil ? "resume" : "open", event))
      for event in start.missed { channel.send(try ServerEvent("text", event)) }
      viewers.tellTabs()
      return (channel, number)
    }
  }

  /// The beginning of the events for a page: the number and the text, nil for a page that has it, and later changes.
  private func start(
    of known: (epoch: String, seq: Int)?
  ) -> (seq: Int, text: String?, missed: ArraySlice<TextEvent>) {
    if let known, known.epoch == epoch, let missed = log.since(known.seq) { return (known.seq, nil, missed) }
    if known != nil, let missed = log.since(0) { return (0, firstText, missed) }
    if let missed = log.since(saved) { return (saved, durableText, missed) }
    return (log.last, text, [])
  }

  /// A page no longer shows the document.
  func leave(_ number: Int) {
    guard viewers.remove(number) else { return }
    if viewers.isEmpty { idleSince = .now }
    viewers.tellTabs()
  }

  /// Notes the place of a tab's caret.
  func moveCaret(of tab: String, to offset: Int?) {
    viewers.moveCaret(of: tab, to: offset)
    viewers.tellTabs()
  }

  private func tell(_ name: String, _ value: some Encodable) { viewers.tell(name, value) }

  // MARK: Turns

  /// Runs `body` when all earlier turns have ended.
  private func inTurn<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    await turns.take()
    defer { turns.pass() }
    return try await body()
  }

  // MARK: Changing

  /// Changes the text.
  ///
  /// - Returns: the number of the change.
  /// - Throws: `HTTPRefusal` `conflict` if the tab has numbers of another run.
  func edit(_ edit: TextEdit) async throws -> Int {
    let seq = try await inTurn {
      if let last = lastOps[edit.tab], last.op == edit.op, edit.epoch == epoch { return last.seq }
      guard await document.isOpen else { throw Self.otherRun }
      while true {
        try await mergeExternalChanges(images: false)
        guard edit.epoch == epoch, let since = log.since(edit.seq) else { throw Self.otherRun }
        let splices = since.reduce(edit.splices) { splices, event in
          let isInFront = event.tab.map { $0 <= edit.tab } ?? true
          return TextSplice.crossed(event.splices, splices, isInFront: isInFront).later
        }
        guard let inverse = try await editKnownText({ try $0.text.replace(by: splices) }) else { continue }
        history.note(.init(key: edit.step, name: "Typing", inverse: inverse), by: edit.tab, splices)
        let event = log.add(splices, why: .edit, tab: edit.tab, op: edit.op)
        lastOps[edit.tab] = (edit.op, event.seq)
        tell("text", event)
        // The first line may be the document's name.
        try await mergeExternalChanges(images: false)
        return event.seq
      }
    }
    await refreshState()
    return seq
  }

  /// Makes an edit of the text that the tabs have.
  ///
  /// - Parameter body: returns the splices that take the edit back.
  /// - Returns: these splices; nil if the document got another text at this moment, and nothing changed.
  private func editKnownText(
    _ body: @Sendable (inout ImageNotes) throws -> [TextSplice]
  ) async throws -> [TextSplice]? {
    let known = text
    let inverse: [TextSplice]
    do {
      (text, inverse) = try await document.edit("") { notes in
        guard notes.text == known else { throw Overtaken() }
        let inverse = try body(&notes)
        return (notes.text, inverse)
      }
      return inverse
    } catch is Overtaken {
      return nil
    }
  }

  /// The document got another text at the moment of an edit.
  private struct Overtaken: Error {}

  private static let otherRun = HTTPRefusal(
    status: .conflict, message: "The server has started again.", advice: "The page connects to it by itself.")
  private static let isClosed = HTTPRefusal(
    status: .serviceUnavailable, message: "The document was just closed.",
    advice: "The page connects to it by itself.")

  /// Makes one change of the title or of the images, and saves it.
  ///
  /// - Parameter tab: the tab that undoes it; nil for a page that shows no text.
  @discardableResult
  func change<Result: Sendable>(
    _ name: String, by tab: String?, _ body: @Sendable (inout ImageNotes) throws -> Result
  ) async throws -> Result {
    let result = try await inTurn {
      try await mergeExternalChanges()
      let (result, before, after) = try await document.edit("") { notes in
        let before = notes
        return (try body(&notes), before, notes)
      }
      takeOutside(before.text)
      let splices = TextDifference(from: text, to: after.text).splices
      let inverse = try text.replace(by: splices)
      history.note(
        .init(name: name, inverse: inverse, change: .init(before: before, after: after)), by: tab, splices)
      if !splices.isEmpty { tell("text", log.add(splices, why: .edit, tab: tab)) }
      try await mergeExternalChanges()
      return result
    }
    // A failure is the document's state, which all tabs show; the change is in memory.
    _ = try? await document.save()
    await refreshState()
    return result
  }

  /// Undoes or redoes an edit, for a tab.
  func step(_ why: TextEvent.Why, by tab: String?) async throws -> Bool {
    let isDone = try await inTurn {
      while true {
        try await mergeExternalChanges()
        guard let step = history.next(why, by: tab) else { return false }
        if step.isEmpty {
          history.skip(why, by: tab)
          continue
        }
        let inverse = try await editKnownText { notes in
          if let change = step.change { try notes.takeBack(change) }
          return try notes.text.replace(by: step.inverse)
        }
        guard let inverse else { continue }
        history.didTakeBack(why, by: tab, step.inverse, inverse: inverse)
        if !step.inverse.isEmpty { tell("text", log.add(step.inverse, why: why, tab: tab)) }
        try await mergeExternalChanges()
        return true
      }
    }
    await refreshState()
    return isDone
  }

  /// Saves now.
  func save() async throws {
    defer { Task { await self.refreshState() } }
    _ = try await document.save()
  }

  /// Takes in the edits of an earlier run that could not be saved, or removes them.
  func recover(_ takes: Bool) async throws {
    try await changing { document in
      let copies = await document.recoveryCopies
      for copy in copies.reversed() {
        if takes { try await document.recover(copy) } else { try await document.discard(copy) }
      }
    }
  }

  /// Calls `body` with the document, for work that needs no turn.
  func withDocument<Result: Sendable>(
    _ body: @Sendable (Document<ImageNotes>) async throws -> Result
  ) async throws -> Result {
    try await body(document)
  }

  /// Calls `body` with the document, and tells the tabs what it changed.
  func changing<Result: Sendable>(
    _ body: @Sendable (Document<ImageNotes>) async throws -> Result
  ) async throws -> Result {
    let result = try await inTurn {
      let result = try await body(document)
      try await mergeExternalChanges()
      return result
    }
    await refreshState()
    return result
  }

  /// Finds an image by its key.
  func image(_ key: String) async throws -> ImageNotes.Image {
    let content = try await document.content
    guard let image = content.images.first(where: { ImageFacts.key(of: $0.name) == key }) else {
      throw HTTPRefusal.notFound
    }
    return image
  }

  // MARK: Telling

  /// Compares the document with what the tabs have, and tells them the difference. In a turn.
  ///
  /// - Parameter images: whether the images may differ, too. A typed letter costs nothing for each image.
  private func mergeExternalChanges(images: Bool = true) async throws {
    let content = try await document.content
    takeOutside(content.text)
    let now = NotesEvent(
      title: content.customName ?? "", displayName: content.displayName,
      images: images ? facts.shown(content.images, below: "/api/documents/\(id.word)/images") : shown.images,
      missing: content.missingImages.map(displayString))
    if now != shown {
      shown = now
      tell("notes", now)
    }
    viewers.tellUndo { [history] tab in UndoEvent(history.names(for: tab)) }
  }

  /// Takes in a text that another program wrote.
  private func takeOutside(_ new: String) {
    if new == text { return }
    let splices = TextDifference(from: text, to: new).splices
    text = new
    history.noteOutside(splices)
    tell("text", log.add(splices, why: .outside))
  }

  private func note(_ signal: Signal) async {
    switch signal {
    case .error(let error): lastError = error
    case .event(.moved(let url)): await noteMove(to: url)
    case .event(.changedByOthers(let outcome, _)):
      // A document that is closed has no content to compare.
      try? await inTurn { try await mergeExternalChanges() }
      switch outcome {
      case .reloaded: tell("notice", NoticeEvent(message: "Another program changed the document."))
      case .merged:
        tell(
          "notice",
          NoticeEvent(message: "Another program changed the document; its changes are merged with yours."))
      default: break
      }
    case .event: break
    }
    await refreshState()
  }

  /// Follows a move that the server made, before the document's watcher tells it.
  func follow(to url: URL) async {
    await document.presentedItemDidMove(to: url)
    await noteMove(to: url)
  }

  private func noteMove(to url: URL) async {
    if url.path == place.path { return }
    let old = place
    place = url
    switch await moved(id, old, url) {
    case .deleted(let key):
      // Its last words go with it. If they cannot, a recovery copy has them.
      try? await document.close()
      tellDeleted(key: key)
    case .moved(let new):
      id = new
      tell("moved", MovedEvent(id: id.word, name: url.deletingPathExtension().lastPathComponent))
    }
  }

  /// Finds the state of the document, and tells a new one. One look follows the other: none tells an older state.
  private func refreshState() async {
    await looks.take()
    defer { looks.pass() }
    // Before the question: edits made meanwhile are not in its answer.
    let (last, text) = (log.last, text)
    let isUnsaved = await document.hasUnsavedChanges
    // After it: a closed document has no unsaved changes.
    let flags = await document.documentState
    if !isUnsaved && !flags.contains(.closed) && last > saved { (saved, durableText) = (last, text) }
    let isSaving = await document.progress?.activity == .saving
    if !flags.contains(.savingError) && !flags.contains(.closed) { lastError = nil }
    let light = StateEvent.Light(flags, isUnsaved: isUnsaved, isSaving: isSaving)
    let sentences = light == .error || light == .deleted ? lastError.map(ErrorExplanation.init(of:)) : nil
    let copy = await document.recoveryCopies.last
    let conflicts = flags.contains(.inConflict) ? ((try? await document.conflictVersions().count) ?? 0) : 0
    let now = StateEvent(
      light: light, saved: saved, message: sentences?.message, advice: sentences?.advice,
      conflicts: conflicts, deletion: light == .deleted ? state.deletion : nil,
      recovery: light == .error ? nil : copy.map { .init(date: $0.modificationDate.milliseconds) })
    if now != state {
      state = now
      tell("state", now)
    }
  }

  // MARK: Ending

  /// Saves and closes the document, and ends the pages' channels. They connect again if they still show it.
  func close() async throws {
    try await inTurn {
      defer { endChannels() }
      let savesAll = await document.isOpen
      try await document.close()
      listening?.cancel()
      guard savesAll else { return }
      // No page brings back what is durable.
      (saved, state.saved) = (log.last, log.last)
      tell("state", state)
    }
  }

  /// Ends the pages' channels.
  func endChannels() { viewers.endChannels() }

  /// Tells the pages that the document is gone.
  ///
  /// - Parameter key: brings it back.
  func tellDeleted(key: String) {
    (state.light, state.deletion) = (.deleted, key)
    tell("state", state)
  }
}
