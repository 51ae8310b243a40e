import FilePackages

/// The differences between a document and the one that a reader makes of its file in another format.
struct InterchangeComparison {
  private let before: InterchangeDocument
  private let after: InterchangeDocument

  init(_ before: InterchangeDocument, _ after: InterchangeDocument) {
    (self.before, self.after) = (before, after)
  }

  /// Whether nothing is lost, and nothing is added.
  var isSame: Bool {
    before.notes.text.hasSameBytes(as: after.notes.text)
      && before.notes.customName.map { Array($0.utf8) } == after.notes.customName.map { Array($0.utf8) }
      && before.notes.images.map(\.entry) == after.notes.images.map(\.entry)
      && before.attachments.keys == after.attachments.keys && before.info == after.info
  }

  /// The parts of the document that are lost.
  ///
  /// An image counts as the same if its name or its place in the order is.
  var losses: [InterchangeRemark] {
    var losses: [InterchangeRemark] = []
    func add(_ part: InterchangeRemark.Part, _ count: Int) {
      if count > 0 { losses.append(.notHeld(part, count: count)) }
    }
    if let title = before.notes.customName, title != after.notes.customName { add(.title, 1) }
    let others = Dictionary(after.notes.images.map { (PackagePath($0.name), $0) }) { first, _ in first }
    let pairs = before.notes.images.map { ($0, others[PackagePath($0.name)]) }
    add(.captions, pairs.count { !$0.caption.isEmpty && $0.caption != $1?.caption })
    add(
      .originalFilenames,
      pairs.count { $0.originalFilename != $0.name && $0.originalFilename != $1?.originalFilename })
    let names = before.notes.images.map { PackagePath($0.name) }
    if after.notes.images.map({ PackagePath($0.name) }).filter(Set(names).contains) != names {
      add(.order, 1)
    }
    if before.info?.hasOtherKeys == true && after.info == nil { add(.otherKeys, 1) }
    return losses
  }
}
