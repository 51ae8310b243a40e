internal import CLinux
import SystemPackage

extension PosixDisk {
  package func limitsNames(in directory: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    var type: UInt32 = 0
    try repeated("fstatfs") { clinux_file_system(directory.number, &type) }
    switch type {
    case FileSystem.ext, FileSystem.xfs, FileSystem.btrfs, FileSystem.tmpfs, FileSystem.ramfs,
      FileSystem.f2fs, FileSystem.overlay, FileSystem.bcachefs, FileSystem.nilfs, FileSystem.reiserfs:
      return false
    default: return true
    }
  }

  /// The types of file systems that take every name, of statfs(2).
  private enum FileSystem {
    static let ext: UInt32 = 0xEF53
    static let xfs: UInt32 = 0x5846_5342
    static let btrfs: UInt32 = 0x9123_683E
    static let tmpfs: UInt32 = 0x0102_1994
    static let ramfs: UInt32 = 0x8584_58F6
    static let f2fs: UInt32 = 0xF2F5_2010
    static let bcachefs: UInt32 = 0xCA45_1A4E
    static let nilfs: UInt32 = 0x3434
    static let reiserfs: UInt32 = 0x5265_4973
    static let overlay: UInt32 = 0x794C_7630
  }
}
