public import Documents
import FilePackages

extension ImageNotes: MergeableContent {
  /// Merges the text by line, the images by their names, and the custom name.
  ///
  /// - Text: lines that both sides changed in different ways are a conflict, with our lines in the text.
  /// - Images: the result has the images that either side added. Two different new images of the same name get two
  ///   names. An image that one side removed is removed, unless the other side changed its picture or caption. Then the
  ///   image stays, and it is a conflict. If both sides changed a picture or a caption, ours stays, and it is a
  ///   conflict.
  /// - Order: the order of the side that moved images. If both sides moved images, it is our order, and a conflict. An
  ///   added image stays behind the image that it followed.
  ///
  /// A merge reads pictures only if their files' attributes do not show whether they are the same.
  ///
  /// - Throws: the error of the system if a picture cannot be read.
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
    let images = try ImageMerge(
      base: base.images, ours: ours.images, theirs: theirs.images, besides: theirs.otherNames)
    merged.images = images.images
    conflicts += images.conflicts
    return MergeResult(merged, conflicts: conflicts)
  }

  /// Whether the child is the text, an image, the list of images, or the metadata, which hold the custom name.
  public static func ownsChild(at path: String) -> Bool {
    [Layout.text, Layout.list, Layout.metadata, Layout.images].contains(path)
      || path.hasPrefix(Layout.images + "/")
      || !path.contains("/") && FreeName.split(path).base == Layout.classicImage
  }
}
