// Types by the words that people use for them.
extension TypeCatalog {
  /// Returns the types that a word names.
  ///
  /// If a type has that identifier, it is the only one. Otherwise they are `public.` or `com.apple.` with the
  /// word, and the types that have the word as an extension or MIME type. An extension may have `.` or `*.` before it.
  ///
  /// - Parameter packages: extensions, in lower case, that name package types if no other type has them.
  /// - Returns: the types; none if the word names no type.
  package func types(named word: String, packages: Set<String> = []) -> [UTType] {
    if let type = type(identifier: word) { return [type] }
    if word.contains("/") {
      return types(tag: word, tagClass: .mimeType, conformingTo: nil).filter(\.isDeclared)
    }
    let name = Self.bareExtension(word).lowercased()
    let short = Self.shortPrefixes.compactMap { type(identifier: $0 + name) }
    let tagged = types(tag: name, tagClass: .filenameExtension, conformingTo: nil).filter(\.isDeclared)
    let known = short + tagged.filter { !short.contains($0) }
    guard known.isEmpty, packages.contains(name) || CoreTypes.packageExtensions.contains(name) else {
      return known
    }
    return types(tag: name, tagClass: .filenameExtension, conformingTo: .package)
  }

  /// Returns at most three words that `types(named:)` knows and that are spelled like a word, the nearest first.
  package func names(like word: String) -> [String] {
    let name = Array(Self.bareExtension(word).lowercased().utf8)
    guard !name.isEmpty else { return [] }
    let limit = max(1, name.count / 4)
    var distances: [String: Int] = [:]
    func note(_ candidate: String) {
      let bytes = Array(candidate.utf8)
      guard abs(bytes.count - name.count) <= limit, distances[candidate] == nil else { return }
      let distance = editDistance(name, bytes)
      if distance <= limit { distances[candidate] = distance }
    }
    for entry in known {
      note(entry.key)
      for prefix in Self.shortPrefixes where entry.key.hasPrefix(prefix) {
        note(String(entry.key.dropFirst(prefix.count)))
      }
      for tags in entry.tags.values { tags.forEach(note) }
    }
    for name in CoreTypes.packageExtensions { note(name) }
    return distances.sorted { left, right in
      (left.value, abs(left.key.utf8.count - name.count), left.key)
        < (right.value, abs(right.key.utf8.count - name.count), right.key)
    }.prefix(3).map(\.key)
  }

  private static let shortPrefixes = ["public.", "com.apple."]

  /// Returns an extension without the `.` or `*.` before it.
  package static func bareExtension(_ word: String) -> String {
    for prefix in ["*.", "."] where word.hasPrefix(prefix) { return String(word.dropFirst(prefix.count)) }
    return word
  }
}

/// Returns the number of bytes to insert, remove, replace, or exchange with the next one.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var rows = [Array(0...right.count)]
  for i in left.indices {
    var row = [i + 1]
    for j in right.indices {
      var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (left[i] == right[j] ? 0 : 1))
      if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
        best = min(best, rows[i - 1][j - 1] + 1)
      }
      row.append(best)
    }
    rows.append(row)
  }
  return rows[left.count][right.count]
}
