package import DurableIO

extension Disk {
  /// Gives a name to a new file in one step: other programs find the old file or the new one, whole.
  ///
  /// Makes the file as `staged`, lets `write` fill it, syncs it and renames it. The name is durable after the caller
  /// has synced the folder. The rest of a call that was cut off goes first; after an error there is none.
  ///
  /// - Returns: the new file.
  package func replace(
    _ name: FileName, by staged: FileName, in folder: borrowing OwnedDescriptor,
    _ write: (borrowing OwnedDescriptor) throws(SystemError) -> Void
  ) throws(SystemError) -> OwnedDescriptor {
    if try exists(staged, in: folder) { try removeFile(staged, in: folder) }
    let file = try createFile(staged, in: folder, mode: 0o666)
    do {
      try write(file)
      try synchronize(file)
      try rename(staged, in: folder, to: name, in: folder, .replace)
      return file
    } catch {
      // The error counts, not the rest: the next call removes it.
      try? removeFile(staged, in: folder)
      throw error
    }
  }

  /// Makes a file with these bytes; it is durable on return, except for its name.
  package func makeFile(
    _ name: FileName, in folder: borrowing OwnedDescriptor, mode: UInt16, _ bytes: [UInt8]
  ) throws(SystemError) -> OwnedDescriptor {
    let file = try createFile(name, in: folder, mode: mode)
    try write(bytes, to: file, at: 0)
    try synchronize(file)
    return file
  }

  /// Opens a file to write into it, as one that has no other name.
  ///
  /// A copy of the package that was made with hard links shares the file. A durable copy then takes the name first, so
  /// that the other package keeps its own file.
  ///
  /// Cost: a status of the open file.
  package func openOwnFile(
    _ name: FileName, copiedAs staged: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> OwnedDescriptor {
    let file = try openFileForWriting(name, in: folder)
    let status = try status(of: file)
    if status.links <= 1 { return file }
    let bytes = try read(file, at: 0, atMost: Int(clamping: status.size))
    let own = try replace(name, by: staged, in: folder) { own throws(SystemError) in
      try write(bytes, to: own, at: 0)
    }
    try synchronize(folder)
    return own
  }
}
