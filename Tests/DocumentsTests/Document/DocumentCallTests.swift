import Documents
import DurableIO
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// Every call in every state has one outcome, and ends. The same table is in Docs/Documents.md.
@Suite("A call in a state")
struct DocumentCallTests {
  enum Situation: String, CaseIterable, Sendable {
    case new, unopened, missing, clean, changed, refusing, saving, failing, inConflict, closed, removed
  }

  enum Call: String, CaseIterable, Sendable {
    case open, content, edit, undo, redo, count, tokens, autosave, save, saveElsewhere
    case create, synchronize, revert, revertElsewhere, check, didChange, didMove, savePresented, deletion,
      recover
    case conflicts, removeConflicts, resolveConflicts, access, disable, close, discard
  }

  /// The error code of a call; nil for none.
  typealias Outcome = DocumentError.Code?

  static func expected(_ call: Call, in situation: Situation) -> Outcome {
    switch (situation, call) {
    // A missing document cannot be read.
    case (.new, .open), (.missing, .open), (.new, .revert), (.missing, .revert): return .file
    case (.removed, .open), (.removed, .revert): return .file
    case (_, .open), (_, .revert), (_, .revertElsewhere): return nil
    case (.failing, .savePresented): return .file
    case (_, .savePresented): return nil
    // A document whose edits have no other place stays open.
    case (.failing, .deletion): return .deleted
    // These calls have one outcome in every situation.
    case (_, .count), (_, .tokens), (_, .didChange), (_, .didMove), (_, .deletion), (_, .access): return nil
    case (_, .disable): return nil
    case (.failing, .close): return .file
    case (_, .close): return nil
    case (_, .discard): return nil
    // Only a document with content can be created elsewhere.
    case (.unopened, .create), (.missing, .create), (.closed, .create): return .closed
    case (.unopened, .saveElsewhere), (.missing, .saveElsewhere), (.closed, .saveElsewhere): return .closed
    case (.new, .create), (.removed, .create): return nil
    case (_, .create): return .file
    case (.failing, .saveElsewhere): return .file
    case (_, .saveElsewhere): return nil
    case (.unopened, .content), (.missing, .content), (.closed, .content): return .closed
    case (_, .content): return nil
    // All other calls need an open document.
    case (.new, _), (.unopened, _), (.missing, _), (.closed, _), (.removed, _): return .closed
    // Some open documents refuse edits.
    case (.refusing, .edit), (.refusing, .undo), (.refusing, .redo): return .editingDisabled
    // Some open documents have a disk that refuses.
    case (.failing, .save), (.failing, .autosave), (.failing, .resolveConflicts): return .file
    case (.failing, .synchronize): return nil
    case (.failing, .recover): return .file
    case (.failing, .check), (.failing, .conflicts): return nil
    case (_, .recover): return .file
    default: return nil
    }
  }

  @Test(arguments: Situation.allCases, Call.allCases)
  func `has one outcome, and ends`(situation: Situation, call: Call) async throws {
    // Each call ends in each situation (D4).
    let stage = try await Stage(situation)
    let outcome = try await withDeadline("\(call) while \(situation)") { () -> Outcome in
      async let result = stage.outcome(of: call)
      // A call that waits for the running save goes on with it.
      if situation == .saving {
        await Task.yield()
        stage.faulty.open()
      }
      return try await result
    }
    #expect(outcome == Self.expected(call, in: situation), "\(call) while \(situation)")
    // An open document can be closed after every call.
    stage.faulty.stopFailing()
    let document = stage.document
    try await withDeadline("closing after \(call) while \(situation)") {
      try await document.close(discardingChanges: true)
      #expect(await document.documentState.contains(.closed))
    }
  }

  /// A document in one of the situations.
  struct Stage: Sendable {
    let document: Document<Pages>
    let faulty: FaultyDisk

    init(_ situation: Situation) async throws {
      faulty = FaultyDisk(try CrashDisk())
      let disk = faulty.disk
      if situation != .new && situation != .missing {
        try await Trip.create(Pages(["a.txt": "one"]), on: disk).close()
      }
      try await Trip.create(Pages(["a.txt": "other"]), at: Self.other, on: disk).close()
      document = Document(
        fileURL: Trip.url, content: situation == .new ? Pages(["n.txt": "new"]) : nil,
        options: .quiet(Trip.recovery), on: .test(disk))
      switch situation {
      case .new, .unopened, .missing: return
      default: try await document.open()
      }
      switch situation {
      case .changed, .saving, .failing: try await document.edit { $0["a.txt"] = "two" }
      case .refusing: await document.disableEditing()
      case .inConflict:
        try await document.edit { $0["a.txt"] = "ours" }
        try disk.replace("a.txt", "theirs", in: Trip.path)
        #expect(try await document.checkForExternalChanges() == .conflict)
      case .closed: try await document.close()
      case .removed:
        try disk.rename(
          "Trip.pages", in: disk.openDirectory(at: "/"), to: "Trash", in: disk.openDirectory(at: "/"),
          .replace)
        #expect(try await document.checkForExternalChanges() == .deleted)
      default: break
      }
      if situation == .saving {
        faulty.close(for: .synchronize)
        Task { [document] in try await document.save() }
        await faulty.arrival()
      }
      // Reading goes on, as on a full disk.
      if situation == .failing { faulty.fail(.changes(from: 0), with: .noSpace) }
    }

    static var other: URL { URL(filePath: "/Other.pages", directoryHint: .notDirectory) }

    func outcome(of call: Call) async throws -> Outcome {
      do {
        try await perform(call)
        return nil
      } catch let error as DocumentError {
        return error.code
      }
    }

    private func perform(_ call: Call) async throws {
      switch call {
      case .open: try await document.open()
      case .content: _ = try await document.content
      case .edit: try await document.edit("Edit") { $0["b.txt"] = "b" }
      case .undo: try await document.undo()
      case .redo: try await document.redo()
      case .count: for kind in DocumentChangeKind.allCases { await document.updateChangeCount(kind) }
      case .tokens:
        let token = await document.changeCountToken(for: .forOverwriting)
        await document.updateChangeCount(withToken: token, for: .forOverwriting)
        #expect(await !document.hasUnsavedChanges)
      case .autosave: try await document.autosave()
      case .save: try await document.save(to: Trip.url, for: .forOverwriting)
      case .saveElsewhere: try await document.save(to: URL(filePath: "/New.pages"), for: .forOverwriting)
      case .create: try await document.save(to: Trip.url, for: .forCreating)
      case .synchronize: try await document.synchronize()
      case .revert: try await document.revert(toContentsOf: Trip.url)
      case .revertElsewhere: try await document.revert(toContentsOf: Self.other)
      case .check: try await document.checkForExternalChanges()
      case .didChange: await document.presentedItemDidChange()
      case .savePresented: try await document.savePresentedItemChanges()
      case .didMove: await document.presentedItemDidMove(to: Trip.url)
      case .deletion: try await document.accommodatePresentedItemDeletion()
      case .recover: try await document.recover(.nowhere)
      case .conflicts: _ = try await document.conflictVersions()
      case .removeConflicts: try await document.removeConflictVersions(document.conflictVersions())
      case .resolveConflicts: try await document.resolveConflicts(with: .newest)
      case .access: await document.performAsynchronousFileAccess {}
      case .disable:
        await document.disableEditing()
        #expect(await document.documentState.contains(.editingDisabled))
        await document.enableEditing()
      case .close: try await document.close()
      case .discard: try await document.discard(.nowhere)
      }
    }
  }
}

extension RecoveryCopy {
  /// A copy that another program has removed meanwhile.
  static var nowhere: RecoveryCopy {
    RecoveryCopy(
      url: URL(filePath: "/Recovery/Gone.recovery", directoryHint: .isDirectory),
      document: "/Trip.pages", contentType: UTType(exportedAs: "org.example.pages"), date: Date())
  }
}
