import DurableIO
import FoundationEssentials

// Files and links that the record holds: the publisher makes them after the commit.
extension SaveBuilder {
  /// Accounts for a small file.
  mutating func record(_ data: Data, _ step: SavePlan.Step) {
    let bytes = data.withUnsafeBytes { Array($0) }
    let recorded = noteRecorded(bytes, .file, step)
    report.bytesWritten += UInt64(bytes.count)
    countWritten(step.path, size: UInt64(bytes.count))
    account(
      step.path, .file, mode: recorded.mode, size: recorded.node.size,
      recorded.node.content ?? ContentHash(of: bytes), recorded.node.modified)
  }

  /// Notes the node that will stand at a step's place.
  @discardableResult
  mutating func noteRecorded(
    _ bytes: [UInt8], _ kind: FileKind, _ step: SavePlan.Step
  ) -> JournalRecord.Staged {
    let date = kind == .symbolicLink ? JournalRecord.Known.noDate : Surroundings.current.now()
    let node = JournalRecord.Known(
      kind: kind, inode: JournalRecord.Known.noInode, size: UInt64(bytes.count),
      modified: step.attributes.modified ?? date, content: step.content ?? ContentHash(of: bytes))
    let before = replaced[step.path].flatMap { $0.kind == .file ? $0.mode : nil } ?? fixedMode
    let staged = JournalRecord.Staged(
      name: name(for: step) ?? "", node: node,
      mode: step.attributes.modeIsExact && fixedMode == nil
        ? step.attributes.mode : before ?? step.attributes.mode,
      modeIsExact: step.attributes.modeIsExact || before != nil, bytes: bytes)
    toRecord[step.path] = staged
    return staged
  }
}
