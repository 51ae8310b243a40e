public import Documents
import FilePackages

extension ImageNotes: MergeableContent {
  /// Merges the text by line, the images by their names, and the custom name.
  ///
  /// - Text: lines that both changed in different ways are a conflict, with our lines in the text.
  /// - Images: what either side added is there; two different ones of the same name get two. One that one side
  ///   removed goes, unless the other one changed its picture or its caption: then it stays, and is a conflict. Of two new
  ///   pictures for one image ours stays, and of two captions our own.
  /// - The order is the one of the side that moved images; of both, ours, and it is a conflict. Images that were added
  ///   stand behind the one that they were put behind.
  ///
  /// Pictures are read where they may be the same and are not known to be.
  ///
  /// - Throws: what the system says when a picture of ours cannot be read any more.
  public static func merged(
    base: ImageNotes, ours: ImageNotes, theirs: ImageNotes
  ) throws -> MergeResult<ImageNotes> {
    var conflicts: [MergeConflict] = []
    var merged = theirs
    let text = ThreeWayMerge(base: base.text, ours: ours.text, theirs: theirs.text)
    merged.text = text.text()
    if !text.conflicts.isEmpty {
      conflicts.append(MergeConflict(Layout.text, .bothChanged, kept: .ours, lines: text.conflicts))
    }
    let name = mergedValue(base: base.customName, ours: ours.customName, theirs: theirs.customName)
    merged.customName = name.value
    if name.isConflict { conflicts.append(MergeConflict(Layout.metadata, .bothChanged, kept: .ours)) }
    let images = try ImageMerge(base: base.images, ours: ours.images, theirs: theirs.images)
    merged.images = images.images
    conflicts += images.conflicts
    return MergeResult(merged, conflicts: conflicts)
  }

  /// The text, the images and their list, and the metadata, in which the custom name is.
  public static func ownsChild(at path: String) -> Bool {
    [Layout.text, Layout.list, Layout.metadata, Layout.images].contains(path)
      || path.hasPrefix(Layout.images + "/")
      || !path.contains("/") && FreeName.split(path).base == Layout.classicImage
  }
}
