import FilePackages

/// Returns the end of a line that names the files whose set-user-ID or set-group-ID bits were dropped.
func withoutPrivileges(_ paths: [String]) -> String {
  if paths.isEmpty { return "" }
  let names = paths.prefix(4).map(displayString).joined(separator: ", ")
  return ", without set-user-ID and set-group-ID: \(names)"
    + (paths.count > 4 ? " and \(paths.count - 4) more" : "")
}
