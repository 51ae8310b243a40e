import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// A query's run from its start to its end.
protocol DocumentQueryRun: Actor {
  /// Begins to gather.
  func start()
  /// Ends the run, and releases its watches.
  func stop()
  /// Brings the results up to date.
  func update() async
}

/// A run over a source: each look compares the source's documents with those of the look before.
actor SourceRun: DocumentQueryRun {
  private let source: any DocumentSource
  private let search: DocumentSearch
  private let options: DocumentQuery.Options
  private let report: QueryReport
  private let number: Int
  private let watches: Bool
  private let root: FolderPath

  private var kinds: [UTType: DocumentKind] = [:]
  private var folders: [FilePath: FolderPath] = [:]
  private var hasGathered = false
  /// The problem of the last look, which listeners hear of once.
  private var problem: FilePackageError.Code?
  private var isOver = false
  private let looks = SerialQueue()
  private var listening: Task<Void, Never>?

  init(
    _ source: any DocumentSource, _ search: DocumentSearch, _ options: DocumentQuery.Options,
    _ report: QueryReport, number: Int, watches: Bool
  ) {
    (self.source, self.search, self.options, self.report) = (source, search, options, report)
    (self.number, self.watches) = (number, watches)
    root = FolderPath(source.sourceRoot)
  }

  // MARK: From start to end

  func start() {
    guard listening == nil, !isOver else { return }
    // A change during the first look leads to a second one.
    let changes = watches ? source.changes(every: options.pollInterval) : nil
    listening = Task { [weak self, options] in
      await self?.update()
      guard let changes else { return }
      for await _ in changes {
        await self?.update()
        // The sleep ends early only with the run.
        try? await Task.sleep(for: options.batchingInterval)
      }
    }
  }

  func stop() {
    isOver = true
    listening?.cancel()
    (kinds, folders) = ([:], [:])
  }

  func update() async { await looks.enqueue { await self.look() }.value }

  // MARK: Looking

  private func look() async {
    guard !isOver else { return }
    do {
      let documents = try await source.sourceDocuments()
      guard !isOver else { return }
      if problem != nil { report.note(nil, of: root, run: number) }
      problem = nil
      tell(documents)
    } catch {
      let new =
        error as? FilePackageError
        ?? FilePackageError(.inputOutput, .search, document: root.path.string, reason: "\(error)")
      if new.code != problem { report.note(new, of: root, run: number) }
      problem = new.code
    }
    if !hasGathered { report.finishGathering(run: number) }
    hasGathered = true
  }

  private func tell(_ documents: [SourceDocument]) {
    let found = documents.compactMap { item($0) }
    guard hasGathered else {
      return report.gather(found.map { ($0, isResult($0)) }, run: number)
    }
    var gone = report.places
    var changes: [QueryReport.Change] = []
    for item in found {
      let place = DocumentPlace(item)
      gone.remove(place)
      if report.item(at: place) != item { changes.append(.put(item, isResult: isResult(item))) }
    }
    report.apply(changes + gone.map { .remove($0) }, run: number)
  }

  private func isResult(_ item: DocumentItem) -> Bool { search.predicate?(item) ?? true }

  /// Returns the item of a document; nil if the search does not want it.
  private func item(_ document: SourceDocument) -> DocumentItem? {
    guard let name = document.path.lastComponent.map(FileName.init) else { return nil }
    let folder = document.path.removingLastComponent()
    guard isSearched(folder) else { return nil }
    let type = UTType(
      filename: name.string, isDirectory: document.isPackage, packages: search.packageExtensions)
    guard search.contentTypes.isEmpty || search.contentTypes.contains(where: { type.conforms(to: $0) }) else {
      return nil
    }
    let kind = kinds[type] ?? DocumentKind(type, isPackage: document.isPackage)
    kinds[type] = kind
    let path = folders[folder] ?? FolderPath(folder)
    folders[folder] = path
    return DocumentItem(
      folder: path, name: name, kind: kind,
      node: DocumentNode(
        device: document.node?.device ?? 0, inode: document.node?.inode ?? 0, born: document.node?.born),
      modified: document.modified, bytes: document.size,
      ubiquity: UbiquityBox(document.id, document.attributes))
  }

  private func isSearched(_ folder: FilePath) -> Bool {
    search.folders.contains { url in
      let scope = FilePath(lossless: url.path).lexicallyNormalized()
      return search.isRecursive ? folder.starts(with: scope) : folder == scope
    }
  }
}
