import ArgumentParser
import CloudContainers
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import Synchronization

extension Cloud {
  struct Download: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "download",
      abstract: "Bring the content of documents here.",
      discussion: """
        Each path is the place in the container folder where the document is or will be. A folder stands for all \
        documents in it, and a pattern with *, ? and [ ] for those that match; quote it, because the shell does not see \
        placeholders. An older state that is here becomes the newest one; changes that were made here stay. A document \
        that fails does not stop the others.

        Examples:
          docpkg cloud download ~/Cloud/Trip.imageNotes
          docpkg cloud download ~/Cloud
          docpkg cloud download '~/Cloud/Travel/*.imageNotes'

        \(ExitStatus.help)
        """)

    @OptionGroup var documents: DocumentArguments

    @OptionGroup var transfer: TransferOptions

    func run() async throws {
      let limits = transfer.limits
      let hasFailed = Mutex(false)
      let hasWork = Mutex(false)
      for (root, paths) in try CloudFolder.roots(of: documents.paths) {
        let progress = TransferProgress()
        let isQuiet = documents.quiet
        try await interruptible(saying: Cloud.interruption) {
          let folder = try await CloudFolder.open(at: root, progress, limits)
          let places = try folder.documents(at: paths, among: await folder.container.names())
          if try await !Cloud.isRead(folder.container) { hasFailed.withLock { $0 = true } }
          try await folder.container.download(itemsNamed: places.keys.sorted()) { name, outcome in
            progress.clear()
            switch outcome {
            case .failure(let error):
              StandardError.write("docpkg: \(errorMessage(of: error))\n")
              hasFailed.withLock { $0 = true }
            case .success(false): break
            case .success(true):
              hasWork.withLock { $0 = true }
              Cloud.tell("downloaded \(display(places[name] ?? name))", unless: isQuiet)
            }
          }
        }
        progress.clear()
      }
      if hasFailed.withLock({ $0 }) { throw ExitCode(ExitStatus.failed) }
      Cloud.tell("nothing to do: all of it is here", unless: documents.quiet || hasWork.withLock { $0 })
    }
  }

  struct Evict: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "evict",
      abstract: "Remove the content of documents from this machine; the container has it.",
      discussion: """
        A document with changes is uploaded first. Then each document becomes a placeholder. A document whose content \
        is not in the container stays, and the command fails.

        Example:
          docpkg cloud evict ~/Cloud/Trip.imageNotes

        \(ExitStatus.help)
        """)

    @OptionGroup var documents: DocumentArguments

    func run() async throws {
      try await documents.forEach("evicted") { try await $0.evict(itemNamed: $1) }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete",
      abstract: "Delete documents, here and in the container.",
      discussion: """
        'docpkg cloud restore' brings them back, for thirty days. To delete a document that is here, removing it with \
        any program and 'docpkg cloud sync' do the same.

        Example:
          docpkg cloud delete ~/Cloud/Trip.imageNotes

        \(ExitStatus.help)
        """)

    @OptionGroup var documents: DocumentArguments

    func run() async throws {
      try await documents.forEach("deleted") { try await $0.delete(itemNamed: $1) }
    }
  }

  /// The paths of documents in a container folder.
  struct DocumentArguments: ParsableArguments {
    @Argument(paths: "The documents, in the container folder.")
    var paths: [String]

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    /// Works on one document after the other, and prints a line for each.
    func forEach(
      _ participle: String, _ body: @escaping @Sendable (CloudContainer, String) async throws -> Void
    ) async throws {
      var folders: [String: CloudFolder] = [:]
      let progress = TransferProgress()
      try await forEachOperand(paths) { path in
        // A placeholder is no file, so that only the folder around it is there.
        let root = try CloudFolder.root(around: path)
        let folder =
          if let open = folders[root] { open } else { try await CloudFolder.open(at: root, progress) }
        folders[root] = folder
        try await interruptible(saying: Cloud.interruption) {
          try await body(folder.container, try folder.name(ofItemAt: path))
        }
        progress.clear()
        Cloud.tell("\(participle) \(display(path))", unless: quiet)
      }
    }
  }

  struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "move",
      abstract: "Move documents into a container, or out of it.",
      discussion: """
        With --to the documents move from their folders into the container folder, and the next 'docpkg cloud sync' \
        uploads them. With --from the documents of a container folder move to a local folder; those that are not here \
        are downloaded first. The container deletes them with the next sync, and can restore them for thirty days. A \
        document gets another name if its own is taken.

        Examples:
          docpkg cloud move Trip.imageNotes --to ~/Cloud
          docpkg cloud move ~/Cloud/Trip.imageNotes --from ~/Cloud --into ~/Documents

        \(ExitStatus.help)
        """)

    @Argument(paths: "The documents.")
    var paths: [String]

    @Option(path: ArgumentHelp("Move into this container folder.", valueName: "folder"))
    var to: String?

    @Option(path: ArgumentHelp("Move out of this container folder.", valueName: "folder"))
    var from: String?

    @Option(
      path: ArgumentHelp(
        "The local folder, with --from; the working directory by default.", valueName: "folder"))
    var into: String?

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    func validate() throws {
      if (to == nil) == (from == nil) { throw ValidationError("Give either --to or --from.") }
      if to != nil && into != nil { throw ValidationError("--into belongs to --from.") }
    }

    func run() async throws {
      let progress = TransferProgress()
      let folder = try await CloudFolder.open(at: to ?? from ?? ".", progress)
      let (isIn, into) = (to != nil, into ?? ".")
      try await forEachOperand(paths) { path in
        let place = try await interruptible(saying: Cloud.interruption) {
          if isIn {
            if await folderKind(of: path) == .library {
              throw InputError(description: "'\(display(path))' is a folder, and no document.")
            }
            let name = try await folder.container.moveIn(url(path), as: url(path).lastPathComponent)
            if try folder.container.session.ignores(name) {
              StandardError.write(
                "docpkg: warning: The container's folder ignores '\(display(name))' by its .docpkgignore or as "
                  + "temporary. No sync uploads it.\n")
            }
            return folder.container.url.appending(path: name)
          }
          let name = try folder.name(ofItemAt: path)
          return try await folder.container.moveOut(name, to: url(into), as: url(path).lastPathComponent)
        }
        progress.clear()
        Cloud.tell("\(display(path)) -> \(display(place.path))", unless: quiet)
      }
    }
  }

  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "List deleted documents, or bring documents or earlier versions back.",
      discussion: """
        Without --name the command lists the documents that were deleted in the last thirty days: the date, the size, \
        the identity and the name. A restored document is a placeholder, and has another name if its own is taken.

        With --version the path is that of a document, and its content of that version becomes its next version. \
        Edits that are here become a version before that. 'docpkg cloud versions' lists the versions.

        Examples:
          docpkg cloud restore ~/Cloud
          docpkg cloud restore ~/Cloud --name Trip.imageNotes
          docpkg cloud restore ~/Cloud/Trip.imageNotes --version 3

        \(ExitStatus.help)
        """)

    @OptionGroup var argument: FolderArgument

    @Option(
      name: .customLong("name"),
      help: ArgumentHelp("Restore the document of this name or identity; can be repeated.", valueName: "name")
    )
    var names: [String] = []

    @Option(help: ArgumentHelp("Bring back this version of the document.", valueName: "number"))
    var version: Int?

    @Flag(help: "Print the deleted documents as JSON.")
    var json = false

    func validate() throws {
      if version != nil && !names.isEmpty {
        throw ValidationError("--version needs the path of one document.")
      }
    }

    func run() async throws {
      if let version { return try await restore(version) }
      let container = try await CloudFolder.open(at: argument.path).container
      let deleted = try await container.deletedItems()
      if names.isEmpty { return try list(deleted) }
      try await forEachOperand(names) { name in
        guard let version = deleted.first(where: { $0.name == name || $0.document.string == name }) else {
          throw InputError(
            description:
              "The container has no deleted document '\(display(name))'. 'docpkg cloud restore' lists them.")
        }
        let restored = try await interruptible(saying: Cloud.interruption) {
          try await container.restore(version.document)
        }
        Cloud.tell("restored \(display(restored)); 'docpkg cloud download' brings it here")
      }
    }

    private func restore(_ version: Int) async throws {
      let path = argument.path
      let restored = try await Cloud.withFolder(path) { folder in
        try await folder.container.restore(itemNamed: folder.name(ofItemAt: path), version: version)
      }
      Cloud.tell("restored version \(version) as \(display(restored))")
    }

    private func list(_ deleted: [CloudVersion]) throws {
      let lines = deleted.map {
        localTime($0.date) + column("\($0.size)", 12) + "  \($0.document)  \(display($0.name))"
      }
      try Cloud.tell(deleted.map(ListedVersion.init), lines, asJSON: json, as: .data)
    }
  }
}
