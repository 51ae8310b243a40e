import DurableIO
public import FoundationEssentials

extension PackageStore {
  // MARK: Looking

  /// Returns the versions in conflict with the document on disk, the newest first; empty if there is no conflict.
  ///
  /// Writes nothing. Looks only at the published state, and ignores a committed save that is not published.
  ///
  /// Cost: a getdents64(2) loop for each folder if there are none; otherwise reads every child that changed after its
  /// save.
  ///
  /// - Throws: the system's error.
  public func conflictVersions() throws(FilePackageError) -> [ConflictVersion] {
    try ConflictSet(writer.package).entries.map(\.version)
  }

  /// Returns whether there are conflict versions, if a name in the package's own folder may be that of one.
  ///
  /// Copies that are only in folders within it do not count here: `conflictVersions()` finds them.
  ///
  /// Cost: a listing of the folder, if the tree has not listed it yet; that of `conflictVersions()` if a name may be one.
  ///
  /// - Throws: the system's error.
  public func hasConflicts() throws(FilePackageError) -> Bool {
    guard try ConflictSet.mayHaveAny(in: writer.package) else { return false }
    return try !conflictVersions().isEmpty
  }

  /// Returns the children that are perhaps conflict copies: no evidence shows whether they are.
  ///
  /// They are no conflict. Another program added them, and each has the name of a child beside it with an addition.
  ///
  /// Cost: that of `conflictVersions()`, another listing of each folder, and reading the notes of the saves.
  ///
  /// - Throws: the system's error.
  public func possibleCopies() throws(FilePackageError) -> [PossibleCopy] {
    try ConflictSet(writer.package).possibleCopies()
  }

  /// Returns whether the document on disk is exactly the result of one save.
  ///
  /// It is false if a synchronising program brought some children of one version and some of another.
  ///
  /// - Throws: the system's error.
  public func isPresentVersionWhole() throws(FilePackageError) -> Bool {
    try ConflictSet(writer.package).isPresentWhole
  }

  /// Returns the document of a conflict version, to read: changes to the tree do not change the version.
  ///
  /// - Parameter id: the identifier of the version; nil for the document on disk, without the conflict copies.
  /// - Throws: `noSuchVersion`; the system's error.
  public func contents(ofConflict id: UUID?) throws(FilePackageError) -> FileWrapper {
    try ConflictSet(writer.package).contents(of: id)
  }

  /// Returns the last common state of a conflict version and the document on disk; nil if it is not known.
  ///
  /// The tree holds the children that are still available. Saves note only the digests of their children; a document
  /// that keeps history has the children too.
  ///
  /// - Throws: as `contents(ofConflict:)`.
  public func commonAncestor(ofConflict id: UUID) throws(FilePackageError) -> FileWrapper? {
    try ConflictSet(writer.package).commonAncestor(of: id)
  }

  // MARK: Deciding

  /// Resolves conflicts in favour of one version, whose content the document gets in one save.
  ///
  /// With `keepsHistory` the replaced state stays among the versions. Only the files that the versions had when they
  /// were listed are removed. A version that arrived since stays, and the report has the warning `conflictsLeft`.
  ///
  /// - Parameters:
  ///   - versions: the versions that the decision is about, as `conflictVersions()` returned them.
  ///   - id: the identifier of the version; nil for the document on disk.
  ///   - options: the options of the save.
  /// - Returns: the report of the save.
  /// - Throws: `unsavedEdits` if the tree has unsaved edits, which stay; `noSuchVersion`, also for a version with lost
  ///   children; `changedOnDisk` if that version has other files now; the errors of `save(_:options:)`. All versions then stay.
  @discardableResult
  public func resolveConflicts(
    _ versions: [ConflictVersion], keeping id: UUID?, options: SavingOptions = []
  ) throws(FilePackageError) -> SaveReport {
    try withWriter {
      try $0.resolveConflicts(versions, options: options, PackageWriter.keeping(id, shown: versions))
    }
  }

  /// Resolves conflicts in one save of the tree that `body` changes.
  ///
  /// A version that arrived since stays, as with `resolveConflicts(_:keeping:options:)`.
  ///
  /// - Parameters:
  ///   - versions: the versions that the decision is about, as `conflictVersions()` returned them.
  ///   - options: the options of the save.
  ///   - body: changes the tree of the document on disk, without the conflict copies. It may use children of the trees
  ///     from `contents(ofConflict:)`.
  /// - Returns: the report of the save.
  /// - Throws: `unsavedEdits` if the tree has unsaved edits, which stay; the errors of `body` and of
  ///   `save(_:options:)`. All versions then stay.
  @discardableResult
  public func resolveConflicts(
    _ versions: [ConflictVersion], options: SavingOptions = [], with body: (FileWrapper) throws -> Void
  ) throws -> SaveReport {
    defer { scheduleDueWork() }
    return try writer.resolveConflicts(versions, options: options) { tree, _ in try body(tree) }
  }

  /// Returns the plan of `resolveConflicts(_:keeping:options:)` for the last saved document, without changing the disk.
  ///
  /// The tree with its unsaved edits stays as it is, and the plan ignores them.
  ///
  /// - Throws: as `resolveConflicts(_:keeping:options:)`, except `unsavedEdits`.
  public func resolvingPlan(keeping id: UUID?) throws -> SavePlan {
    try writer.planResolving(PackageWriter.keeping(id))
  }

  /// Returns the plan of `resolveConflicts(_:options:with:)`, as `resolvingPlan(keeping:)` does.
  ///
  /// - Throws: as `resolveConflicts(_:options:with:)`, except `unsavedEdits`.
  public func resolvingPlan(with body: (FileWrapper) throws -> Void) throws -> SavePlan {
    try writer.planResolving { tree, _ in try body(tree) }
  }

  /// Makes the error for a version with lost children, which cannot become the document.
  package func lacks(_ child: String, _ version: ConflictVersion) -> FilePackageError {
    version.lacks(child, at: location)
  }

  // MARK: Conflict versions in the hidden folder

  /// Copies children on disk, which another program wrote, into a new conflict version.
  ///
  /// The copies have the same paths in a folder of the hidden folder, and are durable on return. Missing children are
  /// ignored; an empty path stands for the whole package.
  ///
  /// - Throws: the system's error; nothing is changed then.
  public func keepConflict(_ paths: [String]) throws(FilePackageError) {
    try withWriter { try $0.keepConflict(paths) }
  }

  /// Adds a conflict version of these children, under its identifier; durable on return. It must not be there yet.
  ///
  /// - Parameters:
  ///   - computer: the computer that saved the version.
  ///   - date: the date of that save.
  ///   - program: the program that brought the version.
  /// - Throws: the system's error.
  package func addConflictVersion(
    _ children: FileWrapper, as id: UUID, savedBy computer: String, on date: Date, broughtBy program: String
  ) throws(FilePackageError) {
    let mark = PackageMetadata(markOfVersionBy: computer, on: date, broughtBy: program)
    try withWriter { try $0.addKeptConflict(children, as: id.uuidString, marked: mark) }
  }

  /// Gives a conflict version another identifier, in one step; durable on return. It does nothing if there is none.
  ///
  /// - Throws: the system's error; the version then has one of the two.
  package func renameConflictVersion(_ id: UUID, to new: UUID) throws(FilePackageError) {
    try withWriter { try $0.renameKeptConflict(id.uuidString, to: new.uuidString) }
  }

  /// Removes a conflict version, if it is there.
  ///
  /// - Throws: the system's error; the version then stays, or a part of it.
  package func removeConflictVersion(_ id: UUID) throws(FilePackageError) {
    try withWriter { try $0.removeKeptConflicts(id.uuidString) }
  }

  /// Returns the folders of the conflict versions, each with the children under their paths.
  ///
  /// - Throws: the system's error.
  public func conflictVersionURLs() throws(FilePackageError) -> [URL] {
    try writer.package.keptConflictURLs()
  }

  /// Removes conflict versions from the hidden folder. Conflict copies of a synchronising program stay.
  ///
  /// A version that has other files now than when it was listed stays.
  ///
  /// - Parameter versions: the versions, as `conflictVersions()` returned them.
  /// - Throws: the system's error; the remaining versions stay available.
  public func removeConflictVersions(_ versions: [ConflictVersion]) throws(FilePackageError) {
    try withWriter { try $0.removeKeptConflicts(Set(versions.flatMap(\.files))) }
  }
}
