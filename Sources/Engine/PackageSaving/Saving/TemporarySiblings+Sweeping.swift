package import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

extension TemporarySiblings {
  /// Removes the new states that killed programs left in a folder, of any document.
  ///
  /// It touches no state that a running program is making. The next sweep tries again to remove the rest, so this never
  /// fails. Cost: a listing of the folder, and the removals.
  ///
  /// - Returns: the names that were removed.
  @discardableResult
  package func sweep(_ folder: borrowing OwnedDescriptor) -> [FileName] {
    abandoned(in: folder) { name, folder in
      // This may be the old state of an exchange, which a power cut must not bring back.
      (try? disk.synchronize(folder)) != nil && remove(name, from: folder)
    }
  }

  /// Returns the names that a sweep would remove.
  package func abandoned(in folder: borrowing OwnedDescriptor) -> [FileName] {
    abandoned(in: folder) { _, _ in true }
  }

  /// Calls `body` with each name that no running program holds; returns those for which it returns true (HS3).
  private func abandoned(
    in folder: borrowing OwnedDescriptor, _ body: (FileName, borrowing OwnedDescriptor) -> Bool
  ) -> [FileName] {
    guard let listing = try? disk.list(folder) else { return [] }
    let names = (0..<listing.count).compactMap { position -> FileName? in
      // Most names are none of the library's, and need no object.
      guard listing.withName(at: position, { $0.starts(with: PackageLayout.siblingPrefix) }) else {
        return nil
      }
      return listing.name(at: position)
    }
    .filter(\.isSwept)
    // A program that shares this lock may have a hidden name without a lock (HS4).
    guard !names.isEmpty, (try? disk.lock(folder, .exclusive)) == true else { return [] }
    defer { _ = try? disk.lock(folder, .none) }
    var found: [FileName] = []
    for name in names {
      // A name that is gone, or that this user may not open, is not this sweep's.
      guard let leftover = try? open(name, in: folder), (try? disk.lock(leftover, .exclusive)) == true,
        (try? disk.isName(name, in: folder, of: leftover)) == true
      else { continue }
      if body(name, folder) { found.append(name) }
      withExtendedLifetime(leftover) {}
    }
    return found
  }

  /// Prevents sweeps of the folder until `allowSweeps(in:)`, or until the descriptor is closed (HS4).
  package func holdOffSweeps(in folder: borrowing OwnedDescriptor) {
    // Without a lock there is no sweep either.
    _ = try? LockWait().take(.shared, of: folder, on: disk)
  }

  package func allowSweeps(in folder: borrowing OwnedDescriptor) {
    _ = try? disk.lock(folder, .none)
  }

  // MARK: Making a state that a sweep leaves alone

  /// Makes an empty folder or file under the staged name, and takes its lock; nil if another program is making one.
  func stage(
    _ kind: FileKind, in folder: borrowing OwnedDescriptor, mode: UInt16
  ) throws(SystemError) -> OwnedDescriptor? {
    holdOffSweeps(in: folder)
    defer { allowSweeps(in: folder) }
    let name = name(.staged)
    var file: OwnedDescriptor?
    do throws(SystemError) {
      if kind == .directory {
        try disk.makeDirectory(name, in: folder, mode: mode)
      } else {
        file = try disk.createFile(name, in: folder, mode: mode)
      }
    } catch  where error.code == .fileExists {
      return nil
    }
    do throws(SystemError) {
      let new = if let file = file.take() { file } else { try disk.openDirectory(name, in: folder) }
      guard isLockedForUs(new), try disk.isName(name, in: folder, of: new) else { return nil }
      return new
    } catch {
      // It is empty; if it is another program's, that program fails and nothing is lost.
      try? kind == .directory ? disk.removeDirectory(name, in: folder) : disk.removeFile(name, in: folder)
      throw error
    }
  }
}

extension FileName {
  /// Whether it is the name of a new state, or of a folder that a document type writes by itself.
  ///
  /// Such a name is `.docpkg-`, up to 16 hexadecimal digits, and `.new` or `.written` with a number.
  fileprivate var isSwept: Bool {
    guard bytes.starts(with: PackageLayout.siblingPrefix) else { return false }
    let rest = bytes.dropFirst(PackageLayout.siblingPrefix.count)
    let hash = rest.prefix {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
    }
    guard (1...16).contains(hash.count) else { return false }
    let role = String(decoding: rest.dropFirst(hash.count), as: UTF8.self)
    if role == ".\(TemporarySiblings.Role.staged.rawValue)" { return true }
    let written = ".\(TemporarySiblings.Role.written.rawValue)"
    return role.hasPrefix(written) && Int(role.dropFirst(written.count)) != nil
  }
}
