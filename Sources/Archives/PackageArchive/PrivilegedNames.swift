import FilePackages

/// Returns the end of a line that names the files whose set-user-ID or set-group-ID bits were dropped.
func withoutPrivileges(_ paths: [String]) -> String {
  paths.isEmpty ? "" : ", without set-user-ID and set-group-ID: \(firstNames(paths))"
}

/// Returns the first four paths, and the number of further ones.
func firstNames(_ paths: [String]) -> String {
  paths.prefix(4).map(displayString).joined(separator: ", ")
    + (paths.count > 4 ? " and \(paths.count - 4) more" : "")
}
