/// The words of other programs for the work of a command.
enum Habits {
  /// A sentence for each word that users of other programs try.
  static let advice: [String: String] = [
    "ls": list, "dir": list, "cp": copy, "save-as": copy, "mv": move, "rename": move, "move": move,
    "rm": remove, "delete": remove, "log": versions, "history": versions, "status": status, "check": verify,
    "fsck": verify, "create": new, "init": new, "add": edit, "set": edit, "zip": export, "pack": export,
    "unzip": importing, "unpack": importing, "extract": importing, "merge": conflicts, "revert": restore,
    "checkout": restore,
  ]

  private static let list =
    "'docpkg list' lists the documents in a folder, and 'docpkg tree' the children of one document."
  private static let copy = "'docpkg copy' copies a document."
  private static let move = "A document is a folder, which any program may move, as mv does."
  private static let remove =
    "'docpkg edit --remove' removes a child. A document is a folder, which any program may remove."
  private static let versions = "'docpkg versions' lists the versions of a document."
  private static let status =
    "'docpkg info' shows a document's metadata, 'docpkg versions' its versions, and 'docpkg verify' checks it."
  private static let verify = "'docpkg verify' checks a document."
  private static let new = "'docpkg new' creates a document."
  private static let edit = "'docpkg edit --add-image' and 'docpkg edit --set' add children."
  private static let export = "'docpkg export' makes an archive of a document."
  private static let importing = "'docpkg import' makes a document of an archive."
  private static let conflicts = "'docpkg resolve --merge' merges conflict versions."
  private static let restore = "'docpkg restore' restores a document from a version."
}
