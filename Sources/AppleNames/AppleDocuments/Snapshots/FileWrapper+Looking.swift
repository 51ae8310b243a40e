import FilePackages

extension FileWrapper {
  /// Makes objects of all nodes in this one.
  ///
  /// A store finds another program's change of a node only if that is an object. A model that reads or writes by URL
  /// makes none.
  ///
  /// Cost: a listing for each folder, and a status for each node.
  func lookAtAllChildren() throws {
    guard isDirectory else { return }
    for child in try children().values { try child.lookAtAllChildren() }
  }
}
