internal import CLinux
internal import Glibc
import SystemPackage

extension PosixDisk {
  package func lock(_ directory: borrowing OwnedDescriptor, _ mode: LockMode) throws(SystemError) -> Bool {
    let operation =
      switch mode {
      case .none: LOCK_UN
      case .shared: LOCK_SH
      case .exclusive: LOCK_EX
      }
    do {
      try repeated("flock") { flock(directory.number, operation | LOCK_NB) }
      return true
    } catch  where error.code == .wouldBlock {
      return false
    }
  }

  package func lock(byte: UInt64, of file: borrowing OwnedDescriptor, _ mode: LockMode) throws(SystemError)
    -> Bool
  {
    guard let byte = off_t(exactly: byte) else {
      throw SystemError("fcntl F_OFD_SETLK", code: .invalidArgument)
    }
    let type =
      switch mode {
      case .none: F_UNLCK
      case .shared: F_RDLCK
      case .exclusive: F_WRLCK
      }
    do {
      try repeated("fcntl F_OFD_SETLK") { clinux_lock_byte(file.number, Int32(type), Int64(byte)) }
      return true
    } catch  where error.code == .wouldBlock || error.code == .permissionDenied {
      return false
    }
  }
}
