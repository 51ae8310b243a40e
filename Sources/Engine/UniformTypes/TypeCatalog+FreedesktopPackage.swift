extension TypeCatalog {
  package func freedesktopPackage(for types: [UTType]) -> String {
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<mime-info xmlns=\"http://www.freedesktop.org/standards/shared-mime-info\">",
    ]
    var seen: Set<UTType> = []
    for type in types where seen.insert(type).inserted {
      if let entry = entry(type.key) { lines += freedesktopLines(entry) }
    }
    lines.append("</mime-info>")
    return lines.joined(separator: "\n") + "\n"
  }

  private func freedesktopLines(_ entry: TypeEntry) -> [String] {
    let names = freedesktopNames(entry)
    var lines = ["  <mime-type type=\"\(escaped(names[0]))\">"]
    if let description = entry.description { lines.append("    <comment>\(escaped(description))</comment>") }
    for name in names.dropFirst() { lines.append("    <alias type=\"\(escaped(name))\"/>") }
    for parent in freedesktopParents(entry) where !names.contains(parent) {
      lines.append("    <sub-class-of type=\"\(escaped(parent))\"/>")
    }
    for name in entry.tags[.filenameExtension] ?? [] {
      lines.append("    <glob pattern=\"*.\(escaped(globbed(name)))\"/>")
    }
    return lines + ["  </mime-type>"]
  }

  /// Returns the MIME type and its aliases; never empty.
  private func freedesktopNames(_ entry: TypeEntry) -> [String] {
    let names = (entry.tags[.mimeType] ?? []).filter { !$0.contains(";") }
    return names.isEmpty ? ["application/x-" + entry.key] : names
  }

  private func freedesktopParents(_ entry: TypeEntry) -> [String] {
    var parents: [String] = []
    for parent in entry.parents.compactMap(self.entry) {
      guard let name = parent.tags[.mimeType]?.first, !parents.contains(name) else { continue }
      // Every stream of bytes has this type; the specification asks not to write it down.
      if name != "application/octet-stream" { parents.append(name) }
    }
    if parents.isEmpty, conforms(entry.key, to: "public.directory") { parents.append("inode/directory") }
    return parents
  }

  /// Returns an extension with every wildcard character escaped.
  private func globbed(_ text: String) -> String {
    text.map { "*?[".contains($0) ? "[\($0)]" : $0 == "\\" ? "\\\\" : String($0) }.joined()
  }

  private func escaped(_ text: String) -> String {
    var output = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": output += "&amp;"
      case "<": output += "&lt;"
      case ">": output += "&gt;"
      case "\"": output += "&quot;"
      case "\t", "\n", "\r": output += "&#\(scalar.value);"
      case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": output += "\u{FFFD}"
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output
  }
}
