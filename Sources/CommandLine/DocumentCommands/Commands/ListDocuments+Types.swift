import ArgumentParser
import CommandSupport
import Documents

extension ListDocuments {
  /// Returns the types that the arguments name.
  func types(_ packages: Set<String>) throws -> [UTType] {
    try typeNames.flatMap { (name: String) throws -> [UTType] in
      let types = UTType.types(named: name, packages: packages)
      if !types.isEmpty { return types }
      let near = UTType.names(like: name).map { "'\($0)'" }.joined(separator: " or ")
      throw ValidationError(
        "There is no type '\(display(name))'." + (near.isEmpty ? "" : " Is it \(near)?")
          + " 'docpkg list --types' lists the types.")
    }
  }

  /// - Parameter packages: extensions that the user declares as those of packages.
  func printTypes(_ packages: Set<String>) throws {
    var output = StandardOutput()
    let types = UTType.known.map { KnownType($0, packages) }
    if json { return output.line(try CommandSupport.json(types)) }
    let widths = (types.map(\.type.count).max() ?? 0, types.map { $0.description?.count ?? 0 }.max() ?? 0)
    for type in types { output.line(type.line(widths)) }
  }
}

/// A type in the output of `list --types`.
private struct KnownType: Encodable {
  var type: String
  var extensions: [String]
  var mimeTypes: [String]
  var package: Bool
  var description: String?

  init(_ type: UTType, _ packages: Set<String>) {
    self.type = type.identifier
    extensions = type.tags[.filenameExtension] ?? []
    // These are the extensions of packages whose types have no identifier.
    if type == .package { extensions += CoreTypes.packageExtensions.union(packages).sorted() }
    mimeTypes = type.tags[.mimeType] ?? []
    package = type.isPackageOrBundle
    description = type.localizedDescription
  }

  func line(_ widths: (type: Int, description: Int)) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: width - text.count + 2)
    }
    return padded(type, widths.type) + padded(description ?? "", widths.description)
      + (extensions.isEmpty ? "-" : extensions.joined(separator: ","))
  }
}
