/// The folded names of all documents that are not deleted, by document.
///
/// A change and a question cost the same with any number of documents.
struct LiveNames: Sendable {
  private var names: [String: Set<String>] = [:]
  /// The number of documents that have a name.
  private var counts: [String: Int] = [:]

  /// Sets the folded names of a document: in the container and here.
  mutating func set(_ new: Set<String>, of id: String) {
    let old = names.updateValue(new, forKey: id) ?? []
    for name in old.subtracting(new) { counts[name] = (counts[name] ?? 1) - 1 }
    for name in new.subtracting(old) { counts[name, default: 0] += 1 }
  }

  /// Whether another document than this one has a folded name.
  func isTaken(_ name: String, byOthersThan id: String) -> Bool {
    counts[name] ?? 0 > (names[id]?.contains(name) == true ? 1 : 0)
  }
}

extension ContainerSession {
  /// The folded names of a document that is not deleted.
  func liveNames(of record: DocumentRecord) throws -> Set<String> {
    guard let head = try head(of: record) else { return [DocumentName.folded(record.name)] }
    var names: Set<String> = head.isDeleted ? [] : [DocumentName.folded(head.name)]
    if record.base != nil { names.insert(DocumentName.folded(record.name)) }
    return names
  }

  /// The folded names of all documents that are not deleted.
  func liveNames(of records: [DocumentRecord]) throws -> LiveNames {
    var names = LiveNames()
    for record in records { names.set(try liveNames(of: record), of: record.id) }
    return names
  }

  /// Returns a name that no other document has.
  ///
  /// - Parameters:
  ///   - record: the document that gets the name; nil for one that is not known yet.
  ///   - taken: a folded name that does not count as free.
  ///   - names: the names of all documents; nil to read them.
  func freeName(
    _ name: String, for record: DocumentRecord? = nil, except taken: String? = nil,
    among names: LiveNames? = nil
  ) async throws -> String {
    let names = if let names { names } else { try liveNames(of: await state.records()) }
    return DocumentName.free(name) { $0 == taken || names.isTaken($0, byOthersThan: record?.id ?? "") }
  }
}
