import Documents
import DurableIO
import FoundationEssentials
import SystemPackage
import TestSupport

// The actions of other programs on the document. Each action is durable when it is done.

extension RandomProgram {
  mutating func othersEdit() async throws {
    number += Int.random(in: 1...2, using: &random)
    let (text, page) = ("other \(number)", FileName(["a.txt", "b.txt", "c.txt"][number % 3]))
    log.append("other program: \(page) = \(text)")
    if try base.holds(page, in: path) { replaced.insert(try base.text(page, in: path)) }
    alive.subtract(replaced)
    try base.replace(page, text, in: path)
    let folder = try base.openDirectory(at: path)
    try base.synchronize(base.openFile(page, in: folder))
    try base.synchronize(folder)
    alive.insert(text)
    safe.insert(text)
    tally.count(.othersEdit)
  }

  /// Gives the document another name and tells it so, as its watcher would.
  mutating func move() async throws {
    let new: FileName = name == "Trip.pages" ? "Tour.pages" : "Trip.pages"
    log.append("moved to \(new)")
    let folder = try base.openDirectory(at: "/")
    try base.rename(name, in: folder, to: new, in: folder, .replace)
    try base.synchronize(folder)
    name = new
    await document.presentedItemDidMove(to: url)
    tally.count(.move)
  }

  /// Removes the document with all saved edits, as a user wants it. Unsaved edits must stay.
  mutating func delete() async throws {
    log.append("deleted")
    try await dropSaved()
    try removePackage()
    // The document finds the removal, or is told of it.
    if Bool.random(using: &random) {
      await attempt("told of it") { try await $0.accommodatePresentedItemDeletion() }
    } else {
      await attempt("saved after it") { _ = try await $0.save() }
      // A save without changes does not notice the removal.
      if await document.isOpen {
        await attempt("looked after it") { _ = try await $0.checkForExternalChanges() }
      }
    }
    tally.count(.deletion)
  }

  /// Puts another package in the place of the document.
  mutating func replace() async throws {
    try await dropSaved()
    number += 1
    let text = "replacement \(number)"
    log.append("replaced by \(text)")
    try removePackage()
    try base.makeDirectory(name, in: base.openDirectory(at: "/"), mode: 0o755)
    try base.makeFile("a.txt", Array(text.utf8), in: base.openDirectory(at: path))
    base.synchronizeAll()
    alive.insert(text)
    safe.insert(text)
    await attempt("looked after it") { _ = try await $0.checkForExternalChanges() }
    tally.count(.replacement)
  }

  /// Drops the texts on disk. A text in memory or in a recovery copy alone must stay.
  private mutating func dropSaved() async throws {
    var onDisk = saved
    for (page, child) in base.tree[name]?.entries ?? [:] where page != ".docpkg" {
      child.collect(into: &onDisk)
    }
    let unsaved = try await texts.subtracting(onDisk)
    let kept = unsaved.union(recoverable)
    replaced.formUnion(safe.subtracting(kept))
    alive.formIntersection(kept)
    safe.formIntersection(kept)
  }

  private func removePackage() throws {
    let folder = try base.openDirectory(at: "/")
    base.removeEverything(name, from: folder)
    try base.synchronize(folder)
  }

  /// Makes a deleted document again from memory, or makes another one in its place, which finds the recovery copies.
  mutating func goOnAfterDeletion() async throws {
    if Bool.random(using: &random) {
      log.append("made again")
      try await document.save(to: url, for: .forCreating)
      alive.formUnion(try await texts)
      safe.formUnion(try await texts)
    } else {
      log.append("another one made")
      number += 1
      let text = "begin \(number)"
      let new = Document(
        fileURL: url, content: Pages(["a.txt": text]), options: .quiet(nil), on: .test(disk.disk))
      try await new.save(to: url, for: .forCreating)
      try await new.close()
      alive.insert(text)
      safe.insert(text)
      try await open()
    }
    try await check("going on")
  }
}
