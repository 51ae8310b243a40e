package import DurableIO
import SystemPackage

// (1) A sweep removes only a folder or file whose lock it takes: the program that made it holds that lock for as long as
//     it runs, and the kernel takes the lock back when the program ends. Where there are no locks, nothing is swept.
// (2) For moments a hidden name has no lock: between its making and its locking, and while an exchange is confirmed.
//     Meanwhile its program shares the lock of the folder that holds it, and a sweep has that lock alone or does not begin.
// (3) `.old` is never swept: it may be the only copy of a package, which opening puts back.

extension Siblings {
  /// Removes the new states that programs which were killed left in a folder, of whatever document. What a running program
  /// is making is not touched. What cannot be removed now is tried again by the next sweep, so this never fails.
  ///
  /// Cost: a listing of the folder, and what it takes to remove what is found.
  /// - Returns: the names that were removed.
  @discardableResult
  package func sweep(_ folder: borrowing OwnedDescriptor) -> [FileName] {
    abandoned(in: folder) { name, folder in
      // A power cut must not bring an exchange back of which this is the old state.
      (try? disk.synchronize(folder)) != nil && remove(name, from: folder)
    }
  }

  /// The names that a sweep would remove.
  package func abandoned(in folder: borrowing OwnedDescriptor) -> [FileName] {
    abandoned(in: folder) { _, _ in true }
  }

  /// Calls `body` with each name that no running program holds; returns those for which it says true. (1)
  private func abandoned(
    in folder: borrowing OwnedDescriptor, _ body: (FileName, borrowing OwnedDescriptor) -> Bool
  ) -> [FileName] {
    guard let listing = try? disk.list(folder) else { return [] }
    let names = (0..<listing.count).compactMap { position -> FileName? in
      // Most names are others', and need not be made.
      guard listing.withName(at: position, { $0.starts(with: Self.prefix) }) else { return nil }
      return listing.name(at: position)
    }
    .filter(\.isSwept)
    // (2)
    guard !names.isEmpty, (try? disk.lock(folder, .exclusive)) == true else { return [] }
    defer { _ = try? disk.lock(folder, .none) }
    var found: [FileName] = []
    for name in names {
      // What is not there any more, or not ours to open, is not ours to remove.
      guard let leftover = try? open(name, in: folder), (try? disk.lock(leftover, .exclusive)) == true,
        (try? disk.isName(name, in: folder, of: leftover)) == true
      else { continue }
      if body(name, folder) { found.append(name) }
      withExtendedLifetime(leftover) {}
    }
    return found
  }

  /// Keeps sweeps of the folder away until `allowSweeps(in:)`, or until the descriptor is closed. (2)
  package func holdOffSweeps(in folder: borrowing OwnedDescriptor) {
    // Without a lock there is no sweep either.
    _ = try? LockWait().take(.shared, of: folder, on: disk)
  }

  package func allowSweeps(in folder: borrowing OwnedDescriptor) {
    _ = try? disk.lock(folder, .none)
  }

  // MARK: Making what a sweep leaves alone

  /// Makes an empty folder under the staged name, and takes its lock; nil when another program is making one.
  package func stageDirectory(
    in folder: borrowing OwnedDescriptor, mode: UInt16
  ) throws(SystemError) -> OwnedDescriptor? {
    holdOffSweeps(in: folder)
    defer { allowSweeps(in: folder) }
    let name = name(.staged)
    do {
      try disk.makeDirectory(name, in: folder, mode: mode)
    } catch  where error.code == .fileExists {
      return nil
    }
    do throws(SystemError) {
      let new = try disk.openDirectory(name, in: folder)
      guard isLockedForUs(new), try disk.isName(name, in: folder, of: new) else { return nil }
      return new
    } catch {
      // It is empty; if it is another program's by now, that one fails and nothing is lost.
      try? disk.removeDirectory(name, in: folder)
      throw error
    }
  }

  /// Makes an empty file under the staged name, and takes its lock; nil when another program is making one.
  package func stageFile(
    in folder: borrowing OwnedDescriptor, mode: UInt16
  ) throws(SystemError) -> OwnedDescriptor? {
    holdOffSweeps(in: folder)
    defer { allowSweeps(in: folder) }
    let name = name(.staged)
    let new: OwnedDescriptor
    do {
      new = try disk.createFile(name, in: folder, mode: mode)
    } catch  where error.code == .fileExists {
      return nil
    }
    do throws(SystemError) {
      guard isLockedForUs(new), try disk.isName(name, in: folder, of: new) else { return nil }
      return new
    } catch {
      // It is empty; if it is another program's by now, that one fails and nothing is lost.
      try? disk.removeFile(name, in: folder)
      throw error
    }
  }
}

extension FileName {
  /// Whether it is the name of a new state, or of what a document type writes by itself: `.docpkg-`, up to 16 hexadecimal
  /// digits, and `.new` or `.written` with a number.
  fileprivate var isSwept: Bool {
    guard bytes.starts(with: Siblings.prefix) else { return false }
    let rest = bytes.dropFirst(Siblings.prefix.count)
    let hash = rest.prefix {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
    }
    guard (1...16).contains(hash.count) else { return false }
    let role = String(decoding: rest.dropFirst(hash.count), as: UTF8.self)
    if role == ".\(Siblings.Role.staged.rawValue)" { return true }
    let written = ".\(Siblings.Role.written.rawValue)"
    return role.hasPrefix(written) && Int(role.dropFirst(written.count)) != nil
  }
}
