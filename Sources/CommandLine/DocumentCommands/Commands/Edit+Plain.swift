import CommandSupport

extension Edit: PlainCommand {
  private static let single = ["--text", "--append", "--title"]

  init?(plain arguments: ArraySlice<String>) {
    let options = Self.single + ["--add-image", "--remove-image", "--set", "--remove"]
    let flags: Set = ["--dry-run", "--force", "--json", "--no-history", "--quiet", "--verbose"]
    guard let plain = PlainArguments(arguments, options: Set(options), flags: flags),
      let operands = plain.operands(1), !plain.repeats(Self.single)
    else { return nil }
    let files = plain.values("--set").compactMap { FileAssignment(argument: $0) }
    guard files.count == plain.values("--set").count, files.count(where: { $0.file == "-" }) < 2 else {
      return nil
    }
    // A property that ArgumentParser did not set cannot be read, so each one is set here.
    self.init()
    path = operands[0]
    text = plain.values("--text").first
    textFile = nil
    append = plain.values("--append").first
    title = plain.values("--title").first
    addedImages = plain.values("--add-image")
    (replacedImages, captions, movedImages) = ([], [], [])
    removedImages = plain.values("--remove-image")
    setChildren = files
    removedChildren = plain.values("--remove")
    (force, noHistory) = (plain.has("--force"), plain.has("--no-history"))
    var writing = WritingOptions()
    writing.dryRun = plain.has("--dry-run")
    writing.json = plain.has("--json")
    writing.quiet = plain.has("--quiet")
    writing.verbose = plain.has("--verbose")
    self.writing = writing
    if !changesNotes && setChildren.isEmpty && removedChildren.isEmpty { return nil }
  }
}
