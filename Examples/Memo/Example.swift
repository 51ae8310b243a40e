import AppleDocuments

/// The calls of a view controller, with completion handlers, and a check of each result.
@main
struct Example {
  @MainActor
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Memo-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("Hut.txt")

    // Create, with a completion handler.
    let memo = Memo(fileURL: url)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      memo.save(to: url, for: .forCreating) { success in
        check(success, "the document is made")
        memo.close { success in
          check(success && memo.documentState == .closed, "the document is closed")
          continuation.resume()
        }
      }
    }

    // Open, edit, undo, redo and save, with `await`.
    let opened = await memo.open()
    check(opened && memo.text.isEmpty, "the document is open")
    memo.setText("Rain")
    check(memo.hasUnsavedChanges, "typing is a change")
    memo.undoManager.undo()
    check(memo.text.isEmpty && !memo.hasUnsavedChanges, "undone, the document is as on disk")
    memo.undoManager.redo()
    check(memo.undoManager.undoMenuItemTitle == "Undo Typing", "the action has its name")
    let saved = await memo.save(to: url, for: .forOverwriting)
    check(saved && !memo.hasUnsavedChanges, "the document is saved")

    // Closing saves.
    memo.setText("Rain, then sun")
    let closed = await memo.close()
    check(closed, "the document is closed")
    let text = try String(contentsOf: url, encoding: .utf8)
    print(text)
    check(text == "Rain, then sun", "the text is on disk")
  }

  /// Ends the program with status 1 if the example does not do what it says.
  static func check(_ isTrue: Bool, _ claim: String) {
    if isTrue { return }
    print("Memo: not true: \(claim)")
    exit(1)
  }
}
