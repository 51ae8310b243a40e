import CommandSupport
import FilePackages
import FoundationEssentials
import ImageNotes

/// An ImageNotes document in the output of `show`.
struct ShownNotes: Encodable {
  var title: String
  var text: String
  var images: [ShownImage]

  init(_ notes: ImageNotes) {
    title = notes.displayName
    text = notes.text
    images = notes.images.map(ShownImage.init)
  }

  /// Prints the document for users.
  func print(to output: inout StandardOutput) {
    output.line(display(title))
    if !text.isEmpty {
      output.line("")
      output.write(text.hasSuffix("\n") ? text : text + "\n")
    }
    if !images.isEmpty { output.line("") }
    for image in images { output.line(image.line) }
  }
}

/// The facts about one image.
struct ShownImage: Encodable {
  var name: String
  var originalFilename: String
  var caption: String
  var format: String?
  var width: Int?
  var height: Int?
  var size: UInt64?
  /// The reason for a missing format.
  var problem: String?

  init(_ image: ImageNotes.Image) {
    name = image.name
    originalFilename = image.originalFilename
    caption = image.caption
    do {
      size = try image.file().regularFileSize
      let header = try image.header()
      format = header.format.rawValue
      (width, height) = (header.displayWidth, header.displayHeight)
    } catch {
      problem = sentence(of: error)
    }
  }

  var line: String {
    var parts = [display(name)]
    if let format { parts.append(imageWords(format, width, height)) }
    if let size { parts.append(SaveReport.bytes(size)) }
    if let problem { parts.append(problem) }
    if originalFilename != name { parts.append("was \(display(originalFilename))") }
    if !caption.isEmpty { parts.append("“\(display(caption))”") }
    return parts.joined(separator: "  ")
  }
}

/// Returns the format of an image, and its size in pixels if that is known.
func imageWords(_ format: String, _ width: Int?, _ height: Int?) -> String {
  guard let width, let height else { return format }
  return "\(format), \(width) × \(height)"
}
