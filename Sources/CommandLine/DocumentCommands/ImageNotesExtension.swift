import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import ImageNotes

/// Checks the name of a new ImageNotes document.
///
/// - Parameter advice: another way out, as the end of a sentence.
/// - Throws: `InputError` for a name with the extension of another type.
func checkImageNotesExtension(of path: String, advice: String = "") throws {
  if isImageNotesName(path) { return }
  let name = url(path).lastPathComponent
  var type = UTType(filename: name, isDirectory: true)
  if type == .folder { type = UTType(filename: name, isDirectory: false) }
  if type.isDynamic || type == .data { return }
  throw InputError(
    description: "'\(display(path))' has the extension of another type (\(type)). "
      + "Choose a name that ends in '.imageNotes'\(advice).")
}

/// Returns whether a path has the extension of ImageNotes documents.
func isImageNotesName(_ path: String) -> Bool {
  // The first use of the type declares it.
  let imageNotes = UTType.imageNotes
  return UTType(filename: url(path).lastPathComponent, isDirectory: true).conforms(to: imageNotes)
}
