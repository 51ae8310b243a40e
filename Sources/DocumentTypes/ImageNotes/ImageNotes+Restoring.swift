import FilePackages
import FoundationEssentials

extension ImageNotes {
  /// Replaces the text, the title and the images by those of another value, such as an earlier version.
  ///
  /// An image whose picture is the same keeps its file, so a save writes only the other pictures. The other value's
  /// pictures are read into memory.
  ///
  /// - Throws: the error of the system if a picture cannot be read. The value is then unchanged.
  public mutating func restore(_ other: ImageNotes) throws {
    var restored: [Image] = []
    let present = Dictionary(images.map { ($0.place, $0) }) { first, _ in first }
    for var image in other.images {
      let file = try image.file()
      if let own = present[image.place], try own.file().hasSameContents(as: file) {
        image.source = own.source
      } else {
        image.source = .new(FileWrapper(regularFileWithContents: try file.contents()))
      }
      restored.append(image)
    }
    for image in images { try image.hold() }
    (text, customName, images) = (other.text, other.customName, restored)
  }

  /// Restores one image of another value: its picture and its caption.
  ///
  /// It replaces the image of that name. If there is none, the image is inserted at the place that it has in the other
  /// value.
  ///
  /// - Throws: `ImageNotesError.noSuchImage` if the other value has no such image; the error of the system if its
  ///   picture cannot be read.
  public mutating func restore(image name: String, from other: ImageNotes) throws {
    let index = try other.index(of: name)
    let image = other.images[index]
    let data = try image.file().contents()
    if images.contains(where: { PackagePath($0.name) == PackagePath(image.name) }) {
      let new = try replace(image: image.name, withImageData: data, originalFilename: image.originalFilename)
      try setCaption(image.caption, ofImage: new)
    } else {
      try add(imageData: data, originalFilename: image.originalFilename, caption: image.caption, at: index)
    }
  }
}
