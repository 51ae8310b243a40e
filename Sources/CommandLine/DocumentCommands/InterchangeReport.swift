import CommandSupport
import FilePackages
import ImageNotes

/// The report of an import from, or an export to, another program's format.
struct InterchangeReport: Encodable {
  var path: String
  var format: InterchangeFormat
  var images: Int
  var attachments: Int
  /// The children that were written, as paths in byte order.
  var written: [String]
  var bytesWritten: UInt64
  /// The paths of the children that the result does not have.
  var leftOut: [String]
  /// The parts that are not the same, and those that the format does not hold.
  var remarks: [String]

  init(
    _ path: String, _ format: InterchangeFormat, _ document: InterchangeDocument, written: [String],
    bytesWritten: UInt64, _ remarks: [InterchangeRemark]
  ) {
    self.path = path
    self.format = format
    images = document.notes.images.count
    attachments = document.attachments.count
    self.written = written
    self.bytesWritten = bytesWritten
    leftOut = remarks.compactMap(\.leftOutPath)
    self.remarks = remarks.map(\.description)
  }

  /// One line for people.
  var line: String {
    var text = "\(display(path)): \(format.name), \(counted(images, "image"))"
    if attachments > 0 { text += ", \(counted(attachments, "attachment"))" }
    return text + ", wrote \(counted(written.count, "child", "children")) (\(SaveReport.bytes(bytesWritten)))"
  }

  /// Prints the remarks to standard error, one a line, and the parts that the format does not hold on one line.
  static func tell(_ remarks: [InterchangeRemark]) {
    for remark in remarks.lines { StandardError.write("docpkg: note: \(remark)\n") }
  }
}
