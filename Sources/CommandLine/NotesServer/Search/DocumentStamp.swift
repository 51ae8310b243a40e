import DurableIO
import FilePackages
import ImageNotes
import SystemPackage

/// Tells whether a document changed since it was read, without reading it.
enum DocumentStamp {
  /// The files that another program may write in their places, which does not change the date of the folder.
  private static let files = ["Text.txt", "Images.txt"].map { FileName($0) }

  /// Returns the dates, sizes and numbers of the document's folder and files; nil if the document is not here.
  static func stamp(of path: FilePath, on disk: PosixDisk) -> String? {
    guard let folder = try? disk.openDirectory(at: path), let own = try? disk.status(of: folder) else {
      return nil
    }
    var stamp = word(own)
    for name in files {
      if let status = try? disk.status(of: name, in: folder) { stamp += " " + word(status) }
    }
    return stamp
  }

  private static func word(_ status: FileStatus) -> String {
    let identity = status.identity
    let times = [identity.modified, identity.changed].map { "\($0.seconds).\($0.nanoseconds)" }
    return "\(identity.inode)-\(identity.size)-\(times.joined(separator: "-"))"
  }
}
