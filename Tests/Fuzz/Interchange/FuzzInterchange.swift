import FilePackages
import Foundation
import ImageNotes
import TestSupport

/// Imports a document of another program, and writes it as a package and in another format.
///
/// The first three bits of the first byte choose the part that has the bytes: 0 the RTF of an RTFD, 1 to 3 a text in
/// Markdown, 4 `info.json` and 5 the text of a TextBundle, 6 `Images.txt` of a package.
/// For 7, the next three bits choose, and the bytes are repeated to 8 KiB: reading must not take quadratic time. The
/// length of the document's text chooses the other format.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInterchange(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 1 else { return 0 }
  var bytes = Data(bytes: start + 1, count: count - 1)
  let isRepeated = start[0] & 7 == 7
  let part = isRepeated ? start[0] >> 3 & 7 : start[0] & 7
  if isRepeated {
    let head = part == 0 ? Data("{\\rtf1 ".utf8) : Data()
    bytes = head + Data((0..<(8 << 10)).map { bytes[bytes.startIndex + $0 % bytes.count] })
  }
  do {
    var document: InterchangeDocument?
    let time = try threadTime { document = try read(bytes, part) }
    precondition(time < .seconds(2), "\(time) for \(bytes.count) bytes")
    if let document, !isRepeated { try write(document) }
  } catch let error as InterchangeError where error.operation == .import {
    // An error is a valid result. A terminal shows its text.
    precondition(isPrintable(error.description), error.description)
  } catch let error as FilePackageError where part > 5 && error.code == .invalidContent {
  } catch {
    preconditionFailure("\(error)")
  }
  return 0
}

/// The beginning of a GIF.
private let picture = Data(Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0])

private func read(_ bytes: Data, _ part: UInt8) throws -> InterchangeDocument {
  let tree = FileWrapper(directoryWithFileWrappers: [:])
  func add(_ data: Data, at path: String) throws {
    try tree.setDescendant(FileWrapper(regularFileWithContents: data), at: path)
  }
  let format: InterchangeFormat
  switch part {
  case 0:
    format = .rtfd
    try add(bytes, at: "TXT.rtf")
    try add(picture, at: "1.gif")
    try add(Data("2".utf8), at: "2.pdf")
  case 1...3:
    format = .markdown
    try add(bytes, at: "A.md")
  case 4, 5:
    format = .textBundle
    try add(
      part == 4 ? bytes : Data(#"{"version":2,"type":"net.daringfireball.markdown"}"#.utf8), at: "info.json")
    try add(part == 5 ? bytes : Data("A ![b](assets/1.gif) [c](assets/2.pdf)\n".utf8), at: "text.md")
  default:
    try add(bytes, at: "Images.txt")
    try add(picture, at: "Images/1.gif")
    try add(picture, at: "Images/3.gif")
    return try InterchangeDocument(package: tree)
  }
  try add(picture, at: "assets/1.gif")
  try add(Data("2".utf8), at: "assets/2.pdf")
  return try format.read(tree, named: "A").document
}

/// Writes a document that was read: a package and a TextBundle have all of it, and no format refuses it.
private func write(_ document: InterchangeDocument) throws {
  let package = try InterchangeDocument(package: document.packageTree())
  check(package, against: document)
  let formats = InterchangeFormat.writable
  let format = formats[document.notes.text.utf8.count % formats.count]
  let (file, remarks) = try format.write(document, named: "A")
  precondition(remarks.lines.allSatisfy(isPrintable), "\(remarks.lines)")
  guard format.isReadable else { return }
  let again = try format.read(file, named: "A").document
  // A text of another format may name by chance the path that a file has in a TextBundle.
  if format == .textBundle, !document.notes.text.contains("assets") {
    check(again, against: document)
    precondition(again.notes.customName == document.notes.customName)
  }
}

private func check(_ one: InterchangeDocument, against other: InterchangeDocument) {
  precondition(
    one.notes.text.utf8.elementsEqual(other.notes.text.utf8),
    "another text: \(one.notes.text.debugDescription)")
  precondition(one.notes.images.map(\.path) == other.notes.images.map(\.path), "other images")
  precondition(one.notes.images.map(\.caption) == other.notes.images.map(\.caption), "other captions")
  precondition(
    one.notes.images.map(\.originalFilename) == other.notes.images.map(\.originalFilename), "other filenames")
  precondition(one.attachments.keys == other.attachments.keys, "other attachments")
}

private func isPrintable(_ text: String) -> Bool {
  !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
}
