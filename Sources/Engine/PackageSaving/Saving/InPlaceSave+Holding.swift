import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat

// Files and links that the record holds: the publisher makes them after the commit.
extension InPlaceSave {
  /// Accounts for a small file or a link, whose bytes the record gets.
  mutating func hold(_ step: SavePlan.Step, as name: FileName) throws(FilePackageError) {
    try children.files.checkCancellation()
    switch step.action {
    case .write(.data(let data)):
      children.location.progress.add(data.count)
      let bytes = data.withUnsafeBytes { Array($0) }
      let made = entry(bytes, .file, step, name)
      children.report.bytesWritten += UInt64(bytes.count)
      children.countWritten(step.path, size: UInt64(bytes.count))
      children.account(
        step.path, .file, mode: made.mode, size: made.node.size,
        made.node.content ?? ContentHash(of: bytes), made.node.modified)
      children.changes[step.path].staged = made
    case .link(let link):
      let destination = try children.destination(of: link, step)
      children.changes[step.path].staged = entry(destination, .symbolicLink, step, name)
    default: return
    }
    children.report.written.append(step.path.string)
  }

  /// Returns the record's entry of a file or link of these bytes.
  func entry(
    _ bytes: [UInt8], _ kind: FileKind, _ step: SavePlan.Step, _ name: FileName
  ) -> JournalRecord.Staged {
    let date = kind == .symbolicLink ? JournalRecord.Known.noDate : Environment.current.now()
    let node = JournalRecord.Known(
      kind: kind, inode: JournalRecord.Known.noInode, size: UInt64(bytes.count),
      modified: step.attributes.modified ?? date, content: step.content ?? ContentHash(of: bytes))
    let before = children.changes[step.path].found.flatMap { $0.kind == .file ? $0.mode : nil } ?? fixedMode
    return JournalRecord.Staged(
      name: name, node: node,
      mode: step.attributes.modeIsExact && fixedMode == nil
        ? step.attributes.mode : before ?? step.attributes.mode,
      modeIsExact: step.attributes.modeIsExact || before != nil, bytes: bytes)
  }
}
